package diff_test

import (
	"reflect"
	"testing"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

// maker makes objects of bytes, out of the names that mean something here.
type maker struct{ data []byte }

func (m *maker) next(n int) int {
	if len(m.data) == 0 {
		return 0
	}
	b := m.data[0]
	m.data = m.data[1:]
	return int(b) % n
}

func (m *maker) word() string {
	words := [...]string{
		"name", "key", "type", "id", "uid", "spec", "status", "data", "stringData", "containers", "ports", "conditions", "env",
		"containerPort", "port", "protocol", "metadata", "annotations", "lastHeartbeatTime", "renewTime", "generation", "template",
		"kubectl.kubernetes.io/last-applied-configuration", "control-plane.alpha.kubernetes.io/leader", `{"renewTime":"a"}`, `{"renewTime":"b"}`,
		"a", "b", "a b", "*", "$", "é", `a"b`, `a\`, "", "{", "[0]", "a\nb\n", "a\nc", "\x1b[2J", "\u0085", "1", "null", "***", "<none>", "x → y",
	}
	return words[m.next(len(words))]
}

func (m *maker) scalar() any {
	switch m.next(6) {
	case 0:
		return nil
	case 1:
		return m.next(2) == 0
	case 2:
		return int64(m.next(4)) - 1
	case 3:
		return float64(m.next(4)) / 2
	default:
		return m.word()
	}
}

func (m *maker) value(depth int) any {
	kind := m.next(8)
	switch {
	case depth == 0 || kind < 3:
		return m.scalar()
	case kind < 6:
		return m.object(depth - 1)
	}
	list := make([]any, m.next(4))
	for i := range list {
		if kind == 6 {
			list[i] = m.object(depth - 1)
		} else {
			list[i] = m.value(depth - 1)
		}
	}
	return list
}

func (m *maker) object(depth int) map[string]any {
	object := map[string]any{}
	for range m.next(5) {
		object[m.word()] = m.value(depth)
	}
	return object
}

// root is an object of a kind, with members that can be spelled.
func (m *maker) root(kind [2]string) map[string]any {
	root := map[string]any{"apiVersion": kind[0], "kind": kind[1]}
	for _, member := range [...]string{"metadata", "spec", "status", "data"} {
		if m.next(3) > 0 {
			root[member] = m.value(4)
		}
	}
	return root
}

func FuzzDifferencesAreToldAndNothingElse(f *testing.F) {
	for seed := range 200 {
		old, now := make([]byte, 120), make([]byte, 120)
		for i := range old {
			// Numbers that look random and are the same in each run.
			old[i] = byte((seed*7919 + i*i*31 + i*17) >> 3)
			now[i] = old[i]
		}
		for i := seed % 10; i < len(now); i += 10 + seed%50 {
			now[i]++
		}
		f.Add(uint8(seed), old, now)
	}
	kinds := [][2]string{{"v1", "Pod"}, {"apps/v1", "Deployment"}, {"v1", "Service"}, {"v1", "Secret"}, {"coordination.k8s.io/v1", "Lease"}, {"example.com/v1", "Widget"}, {"", ""}}
	f.Fuzz(func(t *testing.T, kind uint8, a, b []byte) {
		k := kinds[int(kind)%len(kinds)]
		old, now := (&maker{a}).root(k), (&maker{b}).root(k)
		checkDifference(t, old, now)
		checkDifference(t, now, old)
		checkDifference(t, old, runtime.DeepCopyJSON(old))
	})
}

func checkDifference(t *testing.T, old, now map[string]any) {
	t.Helper()
	between := func(o diff.Options) diff.Diff {
		d, err := diff.Between(body(old), body(now), o)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	all := between(diff.Options{ShowSecrets: true, AllChanges: true})
	if all.Empty() != reflect.DeepEqual(old, now) {
		t.Fatalf("%v\n%v\nchanges: %+v", old, now, all.Changes)
	}
	if !reflect.DeepEqual(all, between(diff.Options{ShowSecrets: true, AllChanges: true})) {
		t.Errorf("%v\n%v\ndiffer otherwise when asked again", old, now)
	}
	checkPaths(t, old, now, all.Changes)
	checkLines(t, all)
	quiet := between(diff.Options{})
	if len(quiet.Changes) > len(all.Changes) {
		t.Errorf("more changes without noise: %+v", quiet.Changes)
	}
	checkLines(t, quiet)
}

func checkLines(t *testing.T, d diff.Diff) {
	t.Helper()
	lines := d.Lines()
	if len(lines) < len(d.Changes) {
		t.Errorf("%d lines for %d changes", len(lines), len(d.Changes))
	}
	for _, line := range lines {
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%q is in %q", r, line)
			}
		}
	}
}

// body is the row of an object whose metadata may be anything.
func body(object map[string]any) *cache.Row {
	r := &cache.Row{Body: cache.MapBody(object)}
	r.APIVersion, _ = object["apiVersion"].(string)
	r.Kind, _ = object["kind"].(string)
	return r
}
