package incluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
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

// The container with a COMMAND does what it is there for, with the rights that the page
// says it needs.
func TestTheCommandOfThePageRuns(t *testing.T) {
	t.Parallel()
	p, m := newPlace(t), read(t, "deployment.yaml")
	block := regexp.MustCompile("(?s)```yaml\n(image: .*?)```").FindStringSubmatch(page(t))
	if block == nil {
		t.Fatal("the page has no container with a COMMAND")
	}
	var described corev1.Container
	if err := yaml.UnmarshalStrict([]byte(block[1]), &described); err != nil {
		t.Fatal(err)
	}
	rules := slices.Clone(find[*rbacv1.Role](t, m).Rules)
	rules[0] = rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list", "watch"}}
	p.grant(m, append(rules, rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "patch"}}))
	p.labelled("web", "1")
	p.kubectl("create", "configmap", "web-config", "--from-literal=key=1")

	c := newContainer(t, p.imagined(m), nil)
	c.spec.Args = described.Args
	p.untilMay("configmaps", c.pod, true)
	running := c.start()
	c.untilHealthy() // and so the change below is one
	p.kubectl("patch", "configmap", "web-config", "--patch", `{"data":{"key":"2"}}`)
	running.tells("deployment.apps/web restarted")
	restarted := p.kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.template.metadata.annotations}")
	if !strings.Contains(restarted, "kubectl.kubernetes.io/restartedAt") {
		t.Errorf("the template has the annotations %s", restarted)
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
