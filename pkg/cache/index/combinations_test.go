package index

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestNamesArePartedAtCommasOutsideOfPaths(t *testing.T) {
	for names, want := range map[string][]string{
		"namespace":                     {"namespace"},
		"namespace,pvc":                 {"namespace", "pvc"},
		"a,b,c":                         {"a", "b", "c"},
		".metadata.labels['a,b'],phase": {".metadata.labels['a,b']", "phase"},
		"{.spec['x,y']},node":           {"{.spec['x,y']}", "node"},
		`.metadata.labels.a\,b,name`:    {`.metadata.labels.a\,b`, "name"},
		"a,":                            {"a", ""},
		"":                              {""},
	} {
		if got := SplitNames(names); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", names, got, want)
		}
	}
}

func TestValuesThatOccurTogetherAreCounted(t *testing.T) {
	row := func(namespace, claims string) *cache.Row {
		text := "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: " + namespace + ", ownerReferences: [{kind: Job, name: j, uid: u1}]}, spec: {volumes: ["
		for claim := range strings.SplitSeq(claims, " ") {
			if claim != "" {
				text += "{persistentVolumeClaim: {claimName: '" + claim + "'}}, "
			}
		}
		return rowOf(t, text+"]}}")
	}
	rows := []*cache.Row{row("dev", "data logs"), row("dev", "data"), row("shop", "data"), row("shop", ""), row("a", `\,b`), row(`a`, "b")}
	var c Combinations
	for _, some := range [][]*cache.Row{rows[:2], rows[2:]} {
		c.Add(some, []Definition{mustLookup(t, podTarget(), "namespace"), mustLookup(t, podTarget(), "pvc"), mustLookup(t, podTarget(), "owner")})
	}
	got := ""
	for _, one := range c.MostFirst() {
		got += strings.Join(one.Values, "|") + strings.Repeat("*", one.Objects) + "\n"
	}
	if want := "dev|data|Job/j**\na|\\,b|Job/j*\na|b|Job/j*\ndev|logs|Job/j*\nshop|data|Job/j*\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := (&Combinations{}).MostFirst(); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
