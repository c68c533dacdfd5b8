//go:build unix

package k9s

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// lists are the keys that list pods, in every view that has them, and the
// question by which kubectl finds the same.
var lists = []struct {
	key  string
	view view
	same string
}{
	{"Shift-Q", view{"nodes", "v1", "", "node-1"}, "-A --field-selector=spec.nodeName=node-1"},
	{"Shift-Q", view{"nodes", "v1", "", "-/node-1"}, "-A --field-selector=spec.nodeName=node-1"},
	{"Shift-Q", view{"pods", "v1", "", "dev/debug"}, "-A --field-selector=spec.nodeName=$(dev/debug)"},
	{"Shift-Y", view{"pods", "v1", "", "shop/db-0"}, "-n shop -l app.kubernetes.io/name=db"},
	{"Shift-Q", view{"deployments", "v1", "apps", "shop/web"}, "-n shop -l app.kubernetes.io/name=web"},
	{"Shift-Q", view{"replicasets", "v1", "apps", "keys/alone"}, "-n keys -l app=alone"},
	{"Shift-Q", view{"statefulsets", "v1", "apps", "shop/db"}, "-n shop -l app.kubernetes.io/name=db"},
	{"Shift-Q", view{"daemonsets", "v1", "apps", "batch/node-agent"}, "-n batch -l app=node-agent"},
	{"Shift-Q", view{"replicationcontrollers", "v1", "", "dev/old-style"}, "-n dev -l app=old-style"},
	{"Shift-Q", view{"jobs", "v1", "batch", "keys/nightly-1"}, "-n keys -l app=nightly"},
	{"Shift-Q", view{"cronjobs", "v1", "batch", "keys/nightly"}, "-n keys -l app=nightly"},
	{"Shift-Q", view{"configmaps", "v1", "", "shop/web-config"}, "-n shop -l app.kubernetes.io/name in (web,db)"},
	{"Shift-Q", view{"secrets", "v1", "", "shop/db-password"}, "-n shop -l app.kubernetes.io/name in (cart,db)"},
	{"Shift-Q", view{"serviceaccounts", "v1", "", "shop/shop"}, "-n shop -l app.kubernetes.io/name in (web,cart)"},
	{"Shift-Q", view{"persistentvolumeclaims", "v1", "", "shop/images-data"}, "-n shop -l app.kubernetes.io/name=images"},
}

func TestKeyListsThePodsThatKubectlLists(t *testing.T) {
	t.Parallel()
	for _, list := range lists {
		t.Run(list.key+" "+list.view.resource+" "+list.view.path, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			u.eventually(func() error {
				want := u.kubectl(append([]string{"get", "pods", "--output=wide"}, u.question(list.same)...)...)
				got := u.lists(list.key, list.view)
				if still(got) != still(want) || strings.Count(want, "\n") < 2 {
					return fmt.Errorf("got:\n%s\nwant:\n%s", got, want)
				}
				return nil
			})
		})
	}
}

// question makes arguments of what is written for kubectl.
func (u *user) question(text string) []string {
	u.t.Helper()
	if strings.Contains(text, "$(dev/debug)") {
		node := u.kubectl("get", "pod", "debug", "--namespace=dev", "--output=jsonpath={.spec.nodeName}")
		text = strings.ReplaceAll(text, "$(dev/debug)", node)
	}
	if flags, selector, ok := strings.Cut(text, " -l "); ok {
		return append(strings.Fields(flags), "-l", selector)
	}
	return strings.Fields(text)
}

// hintsAside is the answer that there is nothing, with hints why on lines before it.
var hintsAside = regexp.MustCompile(`^((hint|Warning): .*\n)*No resources found`)

func TestKeyListsNoPodForAnOwnerOfNone(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for key, v := range map[string]view{
		"Shift-Q": {"deployments", "v1", "apps", "shop/legacy"},
		"Shift-Y": {"pods", "v1", "", "dev/debug"},
	} {
		if got := u.lists(key, v); !hintsAside.MatchString(got) {
			t.Errorf("%s: got:\n%s", key, got)
		}
	}
}

// An error was gone before it could be read: it belongs into the pager.
func TestErrorOfAListIsInThePager(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.context = cluster.Nobody
	for _, v := range []view{{"nodes", "v1", "", "node-1"}, {"deployments", "v1", "apps", "shop/web"}} {
		if got := u.lists("Shift-Q", v); !strings.Contains(got, "forbidden") {
			t.Errorf("%s: got:\n%s", v.resource, got)
		}
	}
}

// KUBECONFIG may be a list of files, --kubeconfig may not.
func TestKubeconfigOfSeveralFilesIsFound(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.kubeconfig = filepath.Join(u.dir, "none") + ":" + stage.kubeconfig
	if got := u.lists("Shift-Q", view{"nodes", "v1", "", "node-1"}); !strings.Contains(got, "node-1") {
		t.Errorf("got:\n%s", got)
	}
}

// Without a flag and a variable, the kubeconfig is that of the home directory,
// and the context may be its current one.
func TestEmptyKubeconfigAndContextAreTheDefault(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	home := u.homeWithKubeconfig()
	u.env = append(u.env, "HOME="+home)
	u.kubeconfig, u.context = "", ""
	if got := u.lists("Shift-Q", view{"nodes", "v1", "", "node-1"}); !strings.Contains(got, "node-1") {
		t.Errorf("got:\n%s", got)
	}
}

// homeWithKubeconfig returns a home directory with the kubeconfig in it.
func (u *user) homeWithKubeconfig() string {
	u.t.Helper()
	home := u.t.TempDir()
	content, err := os.ReadFile(stage.kubeconfig)
	if err != nil {
		u.t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, ".kube"), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".kube", "config"), content, 0o600); err != nil {
		u.t.Fatal(err)
	}
	return home
}
