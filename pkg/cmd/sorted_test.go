package cmd

import (
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

func TestOnlyWhatATargetStartsWithIsSorted(t *testing.T) {
	flags := printers.NewFlags()
	flags.SortBy = []string{"-.metadata.name"}
	sorter, err := flags.Sorter()
	if err != nil {
		t.Fatal(err)
	}
	order := newInitialOrder(sorter)
	var told []string
	tell := func(kind cache.EventType, name string, initial bool) {
		event := cache.Event{Type: kind, Target: somePods, Initial: initial}
		if name != "" {
			event.Row = &cache.Row{}
			event.Row.Name = name
		}
		events, err := order.arrange(event)
		if err != nil {
			t.Fatal(err)
		}
		for _, event := range events {
			line := string(event.Type)
			if event.Row != nil {
				line += " " + event.Row.Name
			}
			told = append(told, line)
		}
	}
	tell(cache.Added, "a", true)
	tell(cache.Added, "c", true)
	tell(cache.Added, "b", true)
	if len(told) != 0 {
		t.Errorf("told too early: %q", told)
	}
	tell(cache.Synced, "", false)
	tell(cache.Added, "d", false)
	tell(cache.Deleted, "a", false)
	want := "ADDED c, ADDED b, ADDED a, SYNCED, ADDED d, DELETED a"
	if got := strings.Join(told, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
