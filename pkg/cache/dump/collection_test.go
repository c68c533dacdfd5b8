package dump

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

var podKind = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}

// pod is a pod in JSON whose uid says which state it is.
func pod(name, resourceVersion, uid string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `","resourceVersion":"` + resourceVersion + `","uid":"` + uid + `"}}`
}

func event(kind, object string) string { return `{"type":"` + kind + `","object":` + object + "}\n" }

// states are the uids of the pods, sorted by the pods' names.
func states(d *Dump) string {
	var uids []string
	for _, o := range d.objects[podKind] {
		uids = append(uids, o.name+"="+string(o.metadata(false).UID))
	}
	return strings.Join(uids, " ")
}

func TestOfAnObjectGivenTwiceTheLaterStateCounts(t *testing.T) {
	differ := "objects that are given again with other content, of which the last counts: 1, the first is Pod \"a\" in stdin, line 1, then in stdin, line 2"
	for name, test := range map[string]struct {
		text, want, warning string
	}{
		"later in the dump too":       {pod("a", "9", "old") + "\n" + pod("a", "10", "new"), "a=new", ""},
		"later, but given first":      {pod("a", "10", "new") + "\n" + pod("a", "9", "old"), "a=new", ""},
		"the same":                    {pod("a", "", "x") + "\n" + pod("a", "", "x"), "a=x", ""},
		"the same, written otherwise": {pod("a", "", "x") + "\n---\nkind: Pod\nmetadata: {uid: x, resourceVersion: '', name: a}\napiVersion: v1\n", "a=x", ""},
		"no version to tell by":       {pod("a", "", "one") + "\n" + pod("a", "", "two"), "a=two", differ},
		"other names":                 {pod("b", "", "one") + "\n" + pod("a", "", "two"), "a=two b=one", ""},
	} {
		d := mustRead(t, test.text)
		if got := states(d); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
		if got := strings.Join(d.Warnings(), "\n"); got != test.warning {
			t.Errorf("%s: got warning %q, want %q", name, got, test.warning)
		}
	}
}

func TestObjectsThatAListHoldsUnderOneNameAreAllThere(t *testing.T) {
	const labelled = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"l":"%"}}}`
	label := func(label string) string { return strings.Replace(labelled, "%", label, 1) }
	list := func(items ...string) string {
		return `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(items, ",\n") + "]}\n"
	}
	three := list(label("1"), label("2"), label("3"))
	for name, test := range map[string]struct {
		text string
		want int
	}{
		"of other labels":        {three, 3},
		"in YAML":                {"apiVersion: v1\nkind: List\nitems:\n- " + label("1") + "\n- " + label("2") + "\n", 2},
		"the list given twice":   {three + three, 3},
		"one of them given anew": {three + label("2"), 3},
		"one item twice":         {list(label("1"), label("1"), label("2")), 2},
		"of other uids":          {list(pod("a", "1", "x"), pod("a", "2", "y")), 2},
		"of one uid":             {list(pod("a", "1", "x"), pod("a", "2", "x")), 1},
	} {
		d := mustRead(t, test.text)
		target := cache.Target{Kind: podKind}
		listed, err := d.ListerWatcher(target, cache.Metadata, time.Now()).ListWithContext(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rows := listed.(*cache.RowList)
		(&cache.Namesakes{}).Listed(rows, true)
		keys := map[string]bool{}
		for _, row := range rows.Items {
			key, err := toolscache.MetaNamespaceKeyFunc(row)
			if err != nil {
				t.Fatal(err)
			}
			keys[key] = true
		}
		if len(keys) != test.want || len(d.Warnings()) > 0 {
			t.Errorf("%s: %d are there, want %d; %q", name, len(keys), test.want, d.Warnings())
		}
	}
}

func TestOfRecordedEventsTheLastStateCounts(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"modified": {event("ADDED", pod("a", "1", "x")) + event("MODIFIED", pod("a", "2", "y")), "a=y"},
		"deleted":  {event("ADDED", pod("a", "1", "x")) + event("ADDED", pod("b", "2", "z")) + event("DELETED", pod("a", "3", "x")), "b=z"},
		"deleted and recreated": {
			event("ADDED", pod("a", "1", "x")) + event("DELETED", pod("a", "2", "x")) + event("ADDED", pod("a", "3", "y")), "a=y",
		},
		"an older list after a deletion": {event("DELETED", pod("a", "7", "x")) + pod("a", "5", "x"), ""},
		"a resync":                       {event("RESYNC", pod("a", "1", "x")), "a=x"},
		"what tells of no object":        {event("BOOKMARK", pod("a", "1", "x")) + event("ERROR", `{"kind":"Status"}`) + `{"type":"SYNCED"}`, ""},
		"kubectl's first event, a list":  {event("ADDED", `{"kind":"List","apiVersion":"v1","items":[`+pod("a", "1", "x")+"]}"), "a=x"},
		"in YAML":                        {"type: ADDED\nobject: {apiVersion: v1, kind: Pod, metadata: {name: a, uid: x}}\n---\n", "a=x"},
		"without versions":               {event("ADDED", pod("a", "", "x")) + event("MODIFIED", pod("a", "", "y")), "a=y"},
	} {
		d := mustRead(t, test.text)
		if got := states(d); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestAnObjectWithMembersLikeAnEventsIsAnObject(t *testing.T) {
	d := mustRead(t, "apiVersion: v1\nkind: Secret\ntype: ADDED\nobject: {a: b}\nmetadata: {name: s}\n")
	if got := names(d); !slices.Equal(got, []string{"v1/Secret//s"}) {
		t.Errorf("got %q", got)
	}
}
