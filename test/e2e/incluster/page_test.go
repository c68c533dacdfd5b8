package incluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// page is what people are told to do.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What the page tells to type is typed, in order, in a namespace that is not shop.
func TestTheCommandsOfThePageWork(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, name := range names(t) {
		p.volumes(read(t, name))
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(blocks) < 4 {
		t.Fatalf("the page has %d blocks of commands", len(blocks))
	}
	for _, block := range blocks {
		typed := strings.NewReplacer(" -n shop ", " -n "+p.namespace+" ", "namespace shop ", "namespace "+p.namespace+" ").Replace(block[1])
		shell := exec.CommandContext(t.Context(), "sh", "-e", "-c", typed)
		shell.Dir, shell.Env = filepath.FromSlash("../../.."), stage.admin
		out, err := shell.CombinedOutput()
		if err != nil || strings.Contains(string(out), "Warning:") {
			t.Fatalf("%v: %s\n%s", err, typed, out)
		}
	}
	// The four that were told to take over from three are there, each with its shard.
	workers := p.pods("app=informer-shards-4", 4)
	for n, pod := range workers {
		c := newContainer(t, pod, nil)
		if args := strings.Join(c.expanded(c.spec.Args), " "); !strings.Contains(args, fmt.Sprintf("--shard %d/4 ", n)) {
			t.Errorf("the pod %s runs %s", pod.Name, args)
		}
	}
}

// The table of the page has the rights of the manifests.
func TestThePageHasTheRightsOfTheManifests(t *testing.T) {
	t.Parallel()
	for _, name := range names(t) {
		var rights []string
		for _, rule := range find[*rbacv1.Role](t, read(t, name)).Rules {
			resource := rule.Resources[0]
			if len(rule.ResourceNames) > 0 {
				resource += "/" + rule.ResourceNames[0]
			}
			rights = append(rights, "`"+strings.Join(rule.Verbs, "`, `")+"` "+resource)
		}
		row := regexp.MustCompile(`(?m)^\| \[` + regexp.QuoteMeta(name) + `\]\(` + regexp.QuoteMeta(name) + `\) \|.*$`).FindString(page(t))
		if want := strings.Join(rights, "; ") + " |"; !strings.HasSuffix(row, want) {
			t.Errorf("%s: the page says %q, want %q", name, row, want)
		}
	}
}
