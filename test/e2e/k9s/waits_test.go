//go:build unix

package k9s

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// ready are views of everything that can be waited for, late of what does not
// get ready.
var (
	ready = []view{
		{"pods", "v1", "", "shop/db-0"},
		{"nodes", "v1", "", "node-1"},
		{"nodes", "v1", "", "-/node-1"},
		{"deployments", "v1", "apps", "shop/web"},
		{"deployments", "v1", "apps", "shop/legacy"}, // of no replicas
		{"statefulsets", "v1", "apps", "shop/db"},
		{"replicasets", "v1", "apps", "keys/alone"},
		{"replicationcontrollers", "v1", "", "dev/old-style"},
		{"daemonsets", "v1", "apps", "batch/node-agent"},
		{"jobs", "v1", "batch", "batch/import"},
	}
	late = []view{
		{"pods", "v1", "", "keys/late"},
		{"deployments", "v1", "apps", "keys/late"},
		{"statefulsets", "v1", "apps", "keys/late"},
		{"daemonsets", "v1", "apps", "keys/late"},
		{"jobs", "v1", "batch", "keys/late"},
	}
)

func TestWaitKeyEndsWhenItIsReady(t *testing.T) {
	t.Parallel()
	for _, v := range ready {
		t.Run(v.resource+" "+v.path, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			lines := strings.Split(u.shows(u.press("Shift-W", v)), "\n")
			object := v.resource + "." + v.version + "." + v.group + "/" + path.Base(v.path)
			if len(lines) != 5 || lines[0] != "Waiting for "+object+" (Ctrl-C gives up)" ||
				!strings.HasSuffix(lines[1], "/"+path.Base(v.path)+" condition met") ||
				!slices.Equal(lines[2:], []string{"", "Press Enter to return to k9s", ""}) {
				t.Errorf("got:\n%s", strings.Join(lines, "\n"))
			}
		})
	}
}

func TestWaitKeyWaitsForWhatIsNotReady(t *testing.T) {
	t.Parallel()
	for _, v := range late {
		t.Run(v.resource, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			got := u.shows(u.press("Shift-W", v, "--timeout=0"))
			if strings.Contains(got, "condition met") || !strings.Contains(got, "condition not met: 0 of 1") ||
				!strings.HasSuffix(got, "\nPress Enter to return to k9s\n") {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

// An entry that no test runs may do anything.
func TestEveryEntryIsTried(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{"Shift-E all": true, "Shift-H all": true} // by TestKeyTails
	for _, list := range lists {
		tried[list.key+" "+list.view.resource] = true
	}
	for _, v := range ready {
		tried["Shift-W "+v.resource] = true
	}
	for name, p := range plugins(t) {
		for _, scope := range p.Scopes {
			if !tried[p.ShortCut+" "+scope] {
				t.Errorf("%s: nobody presses %s in the view of %s", name, p.ShortCut, scope)
			}
		}
	}
}
