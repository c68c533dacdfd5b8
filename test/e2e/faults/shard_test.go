package faults

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// A server that selects shards by itself has to mean the same ones by them, or objects
// would be in none: what it selects is compared with what is selected on arrival, in one
// page and in several, and its watch with the list.
func TestShardsOfTheServerAreOurs(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--feature-gates=ShardedListAndWatch=true")
	namespace := s.newNamespace(t)
	user := s.user(t, cluster.Admin)
	create := func(name string) {
		one := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := s.CoreV1().ConfigMaps(namespace).Create(t.Context(), one, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 40 {
		create(fmt.Sprint("object-", n))
	}
	const template = "jsonpath={range .items[*]}{.metadata.name}{\"\\n\"}{end}"
	total := 0
	for _, text := range []string{"0/3", "1/3", "2/3"} {
		shard, err := cache.ParseShard(text)
		if err != nil {
			t.Fatal(err)
		}
		path := "/api/v1/namespaces/" + namespace + "/configmaps?shardSelector=" + url.QueryEscape(shard.Selector())
		raw := user.kubectl("get", "--raw", path).Stdout
		if !strings.Contains(raw, `"shardInfo"`) {
			t.Fatalf("the server does not select shards: %.300s", raw)
		}
		items := strings.Count(raw, `"name":"object-`)
		total += items
		for _, pages := range []string{"0", "3"} {
			got := user.informer("list", "configmaps", "-n", namespace, "-l", "!none", "--field-selector", "metadata.name!=kube-root-ca.crt",
				"--shard", text, "-o", template, "--chunk-size", pages)
			if n := strings.Count(got.Stdout, "\n"); got.Code != 0 || n != items {
				t.Errorf("%s in pages of %s: got %d objects (%+v), the server selects %d", text, pages, n, got, items)
			}
			for name := range strings.Lines(got.Stdout) {
				if !strings.Contains(raw, `"name":"`+strings.TrimSpace(name)+`"`) {
					t.Errorf("%s: the server does not select %s", text, name)
				}
			}
		}
	}
	if total != 40 {
		t.Errorf("the server's shards have %d objects in all, not 40", total)
	}
	// A watch is left to it, too, and each object is in one.
	var tails []*stream
	for _, text := range []string{"0/3", "1/3", "2/3"} {
		tail := user.tail("configmaps", "-n", namespace, "--shard", text, "-o", "json", "-v=6")
		tail.until(func(_, stderr []string) bool {
			return slices.ContainsFunc(stderr, func(line string) bool {
				return strings.Contains(line, "watch=true") && strings.Contains(line, "shardSelector=")
			})
		})
		tails = append(tails, tail)
	}
	create("later")
	if err := harness.Eventually(t.Context(), func() error {
		reported := 0
		for _, tail := range tails {
			reported += strings.Count(strings.Join(tail.Lines(), "\n"), `"name":"later"`)
		}
		if reported != 1 {
			return fmt.Errorf("%d shards have reported the new object, not 1", reported)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
