package printers

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// withoutColours drops the escape sequences that are ours.
func withoutColours(text string) string {
	return regexp.MustCompile("\x1b\\[(31|32|33|2|0)m").ReplaceAllString(text, "")
}

func TestColoursTellEventsAndChangesApart(t *testing.T) {
	pods, nodes := shop().typed("pods"), shop().typed("nodes")
	left := event(cache.Deleted, nodes, 0)
	left.Reason = cache.NoLongerMatches
	same(t, "EVENT      NAME     STATUS   AGE\n"+
		"\x1b[32mADDED   \x1b[0m   node-1   Ready    90s\n"+
		"\x1b[2mRESYNC  \x1b[0m   node-1   Ready    90s\n"+
		"\x1b[31mDELETED    node-1   Ready    90s   (NoLongerMatches)\x1b[0m\n"+
		"SYNCED     nodes\n",
		strings.Join(tail(t, EventOptions{Colour: true}, []cache.Event{event(cache.Added, nodes, 0), event(cache.Resync, nodes, 0), left, synced(nodes)}), ""))

	same(t, "\x1b[33mMODIFIED\x1b[0m   web-1   1/1   Running   0     90s\n"+
		"\x1b[33m    ~ metadata.annotations.conf:\x1b[0m\n"+
		"          + b\n"+
		"\x1b[31m        - c\x1b[0m\n"+
		"\x1b[32m        + d\x1b[0m\n"+
		"\x1b[31m    - metadata.labels.app: web → <none>\x1b[0m\n"+
		"\x1b[32m    + metadata.labels.tier: <none> → web\x1b[0m\n"+
		"\x1b[33m    ~ spec.containers[main].image: nginx:1.27 → nginx:1.28\x1b[0m\n"+
		"\x1b[31m    - spec.empty: {} → <none>\x1b[0m\n"+
		"\x1b[33m    ~ spec.priority: 9007199254740993 → 9007199254740992\x1b[0m\n",
		strings.Join(tail(t, EventOptions{Colour: true}, []cache.Event{rolledOut()}, "--diff", "--no-headers"), ""))

	same(t, "TIME                       EVENT      A\n"+
		"2020-01-02T03:05:35.000Z   \x1b[32mADDED   \x1b[0m   web-1\n"+
		"\x1b[31m2020-01-02T03:05:35.000Z   DELETED    web-1\x1b[0m\n",
		strings.Join(tail(t, EventOptions{Colour: true}, []cache.Event{event(cache.Added, pods, 0), event(cache.Deleted, pods, 0)},
			"--timestamps", "-o", "custom-columns=A:.metadata.name"), ""))
}

// kubernetes/kubernetes#119246
func TestColoursAreAllThatATerminalSeesMore(t *testing.T) {
	pods := shop().typed("pods")
	events := append(life(pods, 1), rolledOut(), event(cache.Added, pods, 0), synced(pods))
	for _, flags := range append(every(), []string{"-o", "jsonl"}) {
		for _, more := range [][]string{nil, {"--timestamps", "--diff", "--old"}} {
			flags := append(flags, more...)
			plain := strings.Join(tail(t, EventOptions{}, events, flags...), "")
			coloured := strings.Join(tail(t, EventOptions{Colour: true}, events, flags...), "")
			same(t, plain, withoutColours(coloured))
			table := mustParse(t, flags...).Human() || strings.Contains(strings.Join(flags, " "), "custom-columns")
			if table != (coloured != plain) {
				t.Errorf("%q: tables are coloured, data is not:\n%s", flags, coloured)
			}
		}
	}
}

func TestAnObjectCannotColourItsLine(t *testing.T) {
	nodes := shop().typed("nodes")
	nodes.objects[0].cells[0] = "\x1b[32mDELETED    + x"
	same(t, "\x1b[32mADDED   \x1b[0m   ^[[32mDELETED    + x   Ready   90s\n",
		strings.Join(tail(t, EventOptions{Colour: true}, []cache.Event{event(cache.Added, nodes, 0)}, "--no-headers"), ""))
}

func TestATypeWithoutColumnsToShowCanBeColoured(t *testing.T) {
	typ := typeOf(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Shy"}, "shies")
	typ.columns = &cache.Columns{{Name: "Name", Type: "string", Format: "name", Priority: 1}}
	same(t, "EVENT\n\x1b[32mADDED   \x1b[0m\n\x1b[31mDELETED \x1b[0m\n",
		strings.Join(tail(t, EventOptions{Colour: true}, []cache.Event{event(cache.Added, typ, 0), event(cache.Deleted, typ, 0)}), ""))
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	for _, c := range []struct {
		flags    []string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{nil, true, nil, true},
		{nil, false, nil, false},
		{nil, true, map[string]string{"TERM": "xterm"}, true},
		{nil, true, map[string]string{"TERM": "dumb"}, false},
		{nil, true, map[string]string{"NO_COLOR": "1"}, false},
		{[]string{"--color=auto"}, true, map[string]string{"NO_COLOR": "0"}, false},
		{[]string{"--color", "always"}, false, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{[]string{"--color", "never"}, true, nil, false},
	} {
		got, err := mustParse(t, c.flags...).Colour(c.terminal, func(name string) string { return c.env[name] })
		if err != nil || got != c.want {
			t.Errorf("%q, terminal %t, %v: got %t, %v", c.flags, c.terminal, c.env, got, err)
		}
	}
}
