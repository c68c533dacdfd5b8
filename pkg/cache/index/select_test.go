package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func indexerOf(t testing.TB, indexers toolscache.Indexers, rows ...*cache.Row) toolscache.Indexer {
	t.Helper()
	indexer := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, indexers)
	for _, row := range rows {
		if err := indexer.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	return indexer
}

// pod makes a pod of which these tests ask; empty texts leave a field out.
func pod(name, node, phase string, images ...string) *cache.Row {
	var containers []any
	for i, image := range images {
		containers = append(containers, map[string]any{"name": fmt.Sprint(i), "image": image})
	}
	object := map[string]any{"spec": map[string]any{"containers": containers}}
	if node != "" {
		object["spec"].(map[string]any)["nodeName"] = node
	}
	if phase != "" {
		object["status"] = map[string]any{"phase": phase}
	}
	row := &cache.Row{Body: cache.MapBody(object)}
	row.APIVersion, row.Kind, row.Name, row.Namespace, row.UID = "v1", "Pod", name, "shop", types.UID(name)
	return row
}

func podTarget() cache.Target { return targetOf(schema.GroupVersionKind{Version: "v1", Kind: "Pod"}) }

func rowNames(rows []*cache.Row) []string {
	names := make([]string, 0, len(rows))
	for _, row := range rows {
		names = append(names, row.Name)
	}
	slices.Sort(names)
	return names
}

func TestSelect(t *testing.T) {
	rows := []*cache.Row{
		pod("a", "n1", "Running", "nginx", "sidecar"),
		pod("b", "n1", "Pending", "nginx"),
		pod("c", "n2", "Running", "redis", "sidecar"),
		pod("d", "", "Pending", "redis"),
		pod("e", "", ""),
	}
	for _, tc := range []struct {
		by   string
		want string
	}{
		{"node=n1", "a b"},
		{"node=n1 node=n2", "a b c"},
		{"node=n1 spec.nodeName=n2", ""},
		{"spec.nodeName=n1 .spec.nodeName=n2", "a b c"},
		{"node=n1 phase=Running", "a"},
		{"node=n1 node=n2 phase=Running phase=Failed", "a c"},
		{"node!=n1", "c d e"},
		{"node!=n1 node!=n2", "d e"},
		{"node=n1 node=n2 node!=n2", "a b"},
		{"node=n1 phase!=Running", "b"},
		{"image=sidecar image!=redis", "a"},
		{"image=nginx image=redis phase=Pending node!=n1", "d"},
		{"namespace=shop phase!=Running", "b d e"},
		{"namespace=elsewhere", ""},
		{"namespace=shop name=e", "e"},
		{"node=nowhere", ""},
		{"spec.containers[*].image=redis", "c d"},
		{"spec.nothing!=x", "a b c d e"},
		{"node=", "d e"},
		{"node==", "d e"},
		{"node!=", "a b c"},
		{"node= node=n2", "c d e"},
		{"node= phase=Pending", "d"},
		{"node= node!=", ""},
		{"node= node!=n1", "d e"},
		{"node=n1 node!= phase!=", "a b"},
		{"phase= node=", "e"},
		{"phase= node!=n1", "e"},
		{"spec.nodeName= image=redis", "d"},
		{"spec.nothing=", "a b c d e"},
		{"spec.nothing!=", ""},
		{"spec.containers[*].image=", "e"},
		{"spec.containers[*].image= image=sidecar", ""},
	} {
		t.Run(tc.by, func(t *testing.T) {
			b := mustBind(t, podTarget(), strings.Fields(tc.by)...)
			want := strings.Fields(tc.want)
			if got := rowNames(b.Select(indexerOf(t, b.Indexers(), rows...))); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			// An Indexer that keeps none of the indexes costs time, not truth.
			if got := rowNames(b.Select(indexerOf(t, nil, rows...))); !slices.Equal(got, want) {
				t.Errorf("without indexes: got %q, want %q", got, want)
			}
		})
	}
}

// randomQuery asks for anything that pods of randomPod may have.
func randomQuery(r *rand.Rand) []string {
	var by []string
	for range 1 + r.IntN(4) {
		operator := "="
		if r.IntN(3) == 0 {
			operator = "!="
		}
		var name string
		var values []string
		switch r.IntN(5) {
		case 0:
			name, values = "node", []string{"n1", "n2", "n3", "n4"}
		case 1:
			name, values = "image", []string{"i1", "i2", "i3"}
		case 2:
			name, values = "phase", []string{"Running", "Pending", "Odd"}
		case 3:
			name, values = "namespace", []string{"shop", "nowhere"}
		default:
			name, values = ".spec.containers[*].image", []string{"i1", "i4"}
		}
		value := values[r.IntN(len(values))]
		if r.IntN(5) == 0 {
			value = ""
		}
		by = append(by, name+operator+value)
	}
	return by
}

func randomPod(r *rand.Rand, name string) *cache.Row {
	var images []string
	for range r.IntN(4) {
		images = append(images, fmt.Sprint("i", r.IntN(4)))
	}
	return pod(name, []string{"", "n1", "n2", "n3"}[r.IntN(4)], []string{"", "Running", "Pending"}[r.IntN(3)], images...)
}

func TestSelectIsMatchOverAllObjects(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		by := randomQuery(r)
		b := mustBind(t, podTarget(), by...)
		indexer := indexerOf(t, b.Indexers())
		live := map[string]*cache.Row{}
		for i := range 200 {
			row := randomPod(r, fmt.Sprint("p", r.IntN(150)))
			if i%2 == 0 {
				transformed, err := Transform(b.Definitions()...)(row)
				if err != nil {
					t.Fatal(err)
				}
				row = transformed.(*cache.Row)
			}
			live[row.Name] = row
			if err := indexer.Update(row); err != nil {
				t.Fatal(err)
			}
		}
		var want []*cache.Row
		for _, row := range live {
			if b.Match(row) {
				want = append(want, row)
			}
		}
		if got := rowNames(b.Select(indexer)); !slices.Equal(got, rowNames(want)) {
			t.Fatalf("%q: got %q, want %q", by, got, rowNames(want))
		}
	}
}

// Every state that an object has in this test matches the query or does not, as
// a whole: a selection that mixes states, or misses an object on its way from
// one value to another, shows.
func TestSelectDuringUpdatesIsOfOneMoment(t *testing.T) {
	b := mustBind(t, podTarget(), "phase=Pending", "phase=Running", "image=i1", "image=i2", "node!=gone",
		`.spec.containers[?(@.name=="0")].image!=i3`)
	states := []*cache.Row{
		pod("x", "n1", "Pending", "i1"), pod("x", "n2", "Running", "i2"), pod("x", "", "Running", "i1", "i2"),
	}
	other := []*cache.Row{pod("y", "gone", "Running", "i1"), pod("y", "n1", "Failed", "i2"), pod("y", "n1", "Running", "i3")}
	indexer := indexerOf(t, b.Indexers(), states[0], other[0])
	done := make(chan struct{})
	var updates sync.WaitGroup
	updates.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				_ = indexer.Update(states[i%len(states)])
				_ = indexer.Update(other[i%len(other)])
			}
		}
	})
	for range 5_000 {
		rows := b.Select(indexer)
		if len(rows) != 1 || !slices.Contains(states, rows[0]) {
			t.Errorf("selected %q", rowNames(rows))
			break
		}
	}
	close(done)
	updates.Wait()
}

// A value that is there and empty is asked for as one that is not there, as of the
// server's field selectors; it does not hide the others that an object has.
func TestAnEmptyValueIsNoValue(t *testing.T) {
	rows := []*cache.Row{pod("bare", "n1", ""), pod("empty", "n1", "", ""), pod("both", "n1", "", "", "i1"), pod("full", "n1", "", "i1")}
	for by, want := range map[string]string{
		"spec.containers[*].image=":                             "bare both empty",
		"spec.containers[*].image!=":                            "full",
		"spec.containers[*].image= spec.containers[*].image=i1": "bare both empty full",
	} {
		b := mustBind(t, podTarget(), strings.Fields(by)...)
		if got := rowNames(b.Select(indexerOf(t, b.Indexers(), rows...))); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: got %q, want %q", by, got, want)
		}
	}
}

func TestAPathThatNoObjectHasIsNamed(t *testing.T) {
	r := mustRegistry(t, "zone=.metadata.labels.zone", "app=.metadata.labels.app")
	q, err := ParseQuery([]string{"zone=a", "app=web", "spec.nodename!=n1", "spec.nodeName=n9", "pvc=none"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := q.Bind(r, podTarget())
	if err != nil {
		t.Fatal(err)
	}
	row := pod("a", "n1", "Running")
	row.Labels = map[string]string{"app": "web"}
	absentIn := func(indexer toolscache.Indexer) (absent []Definition) {
		for _, d := range b.Definitions() {
			if Absent(indexer, d) {
				absent = append(absent, d)
			}
		}
		return absent
	}
	absent := absentIn(indexerOf(t, b.Indexers(), row))
	var notices []string
	for _, d := range absent {
		notices = append(notices, d.AbsenceNotice())
	}
	const hint = `; write a dot within a key as \. and the elements of a list as [*]`
	want := []string{
		`no object has a value at .metadata.labels.zone (index "zone")` + hint,
		`no object has a value at .spec.nodename` + hint,
	}
	if !slices.Equal(notices, want) {
		t.Errorf("got  %q\nwant %q", notices, want)
	}
	if absent := absentIn(indexerOf(t, b.Indexers())); len(absent) > 0 {
		t.Errorf("with no object at all: %q", indexNames(absent))
	}
	if absent := absentIn(indexerOf(t, nil, row)); len(absent) > 0 {
		t.Errorf("of an Indexer without the indexes: %q", indexNames(absent))
	}
}

func TestBoundSaysWhatItNeeds(t *testing.T) {
	for by, want := range map[string]cache.Representation{
		"name=a":                           cache.Metadata,
		"name=a label=b metadata.name=c":   cache.Metadata,
		"name=a manager=kubectl":           cache.ManagedFields,
		"node=n1":                          cache.Whole,
		"node=n1 manager=m":                cache.Whole | cache.ManagedFields,
		"metadata.managedFields[0].time=x": cache.ManagedFields,
	} {
		b := mustBind(t, podTarget(), strings.Fields(by)...)
		if b.Needs() != want {
			t.Errorf("%s needs %s", by, b.Needs())
		}
	}
	b := mustBind(t, podTarget(), "node=n1", "node!=n2", "name=a")
	if names := indexNames(b.Definitions()); !slices.Equal(names, []string{"node", "name"}) || len(b.Indexers()) != 2 {
		t.Errorf("it reads %q", names)
	}
}
