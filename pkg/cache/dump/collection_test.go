package dump

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
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
