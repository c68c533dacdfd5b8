package index

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// A definition that is taken has the name that stands before its first =, which
// can be looked up, and a path that means the same when it is printed and read.
func FuzzIndexDefinition(f *testing.F) {
	for _, seed := range []string{
		"zone={.metadata.labels.topology\\.kubernetes\\.io/zone}", "a=.spec.x", "a=b", "a={.spec.containers[*].image}", "a=", "=.x", "a",
		"node=.spec.x", "a-_9=['x'].y", "a={..x}", "a={.a[?(@.b==1)]}", "a=.a['b.c\\'d']", "ä=.x", "a=.x=y", "a={", "a=.a[0]", "a=.[*][*]", "a=.\x00",
	} {
		f.Add(seed)
	}
	pods := targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	f.Fuzz(func(t *testing.T, definition string) {
		r, err := NewRegistry([]string{definition})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "invalid --index ") {
				t.Errorf("%q: got %v", definition, err)
			}
			return
		}
		name, _, _ := strings.Cut(definition, "=")
		found, err := r.Lookup(pods, name)
		if err != nil || found.Name != name {
			t.Fatalf("%q: looked up as %q, %v", definition, found.Name, err)
		}
		if !slices.ContainsFunc(r.For(pods), func(d Definition) bool { return d.Name == name }) {
			t.Errorf("%q is not among the indexes", definition)
		}
		path := r.user[0].path
		again, err := fieldpath.Parse(path.String())
		if err != nil || again.String() != path.String() || again.Needs() != path.Needs() {
			t.Errorf("%q is printed as %q, which is read as %v, %v", definition, path, again, err)
		}
	})
}
