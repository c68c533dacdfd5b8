package match

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// A cluster that was restored from a backup of another has its uids.
func TestObjectsOfOneUIDInTwoClustersAreTwo(t *testing.T) {
	ready, err := DefaultCostLimit.ParseFor([]string{"condition=Ready"}, false)
	if err != nil {
		t.Fatal(err)
	}
	pod := func(context, status string) *cache.Row {
		row := &cache.Row{Body: cache.MapBody{
			"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status}}},
		}}
		row.APIVersion, row.Kind, row.Namespace, row.Name, row.UID = "v1", "Pod", "shop", "web", types.UID("1")
		row.SetPlace(cache.Place(context))
		return row
	}
	tally := NewTally(ready, All(), nil, time.Now)
	named := func(context string) cache.Target {
		return cache.Target{Context: context, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespaced: true, Namespace: "shop", Name: "web"}
	}
	for _, context := range []string{"west", "east", "north"} {
		tally.Expect(named(context), false)
	}
	for _, row := range []*cache.Row{pod("west", "True"), pod("east", "False")} {
		if err := tally.Upsert(t.Context(), row, nil); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"1 of 3", `web in context "east" Ready=False`, `pods "web" was never there in context "north"`}
	for _, part := range want {
		if got := tally.Summary(); tally.Met() || !strings.Contains(got, part) {
			t.Errorf("no %q in %s", part, got)
		}
	}
	tally.Forget(named("north"))
	if err := tally.Upsert(t.Context(), pod("east", "True"), nil); err != nil {
		t.Fatal(err)
	}
	if met := tally.Meeting(); !tally.Met() || len(met) != 2 || met[0].Row.Context() != "east" {
		t.Errorf("met by %v: %s", met, tally.Summary())
	}
}
