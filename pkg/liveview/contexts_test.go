package liveview

import (
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Two clusters of different versions, of which one has a column more, hold an object of
// one name and uid.
func TestRowsOfSeveralClustersStandUnderTheirOwnColumns(t *testing.T) {
	west, east := pods, pods
	west.Context, east.Context = "west", "east"
	east.Resource.Version, east.Kind.Version = "v2", "v2"
	older, newer := &cache.Columns{{Name: "Name"}}, &cache.Columns{{Name: "Name"}, {Name: "Zone"}}
	o := options(west, east)
	o.Columns = func(_ cache.Target, r *cache.Row) []Column {
		columns := []Column{{Name: "CONTEXT"}, {Name: "POD"}}
		if r.Columns == newer {
			columns = append(columns, Column{Name: "ZONE"})
		}
		return append(columns, Column{Name: "STATUS"})
	}
	o.Cells = func(t cache.Target, r *cache.Row, _ time.Time) []string {
		cells := []string{t.Context, r.Name}
		if r.Columns == newer {
			cells = append(cells, "zone-1")
		}
		return append(cells, r.Cells[1].(string))
	}
	in := func(target cache.Target, columns *cache.Columns, status string) *cache.Row {
		r := row("web", status, 0)
		r.Columns = columns
		r.SetPlace(cache.Place(target.Context))
		return r
	}
	s := watch(t, o)
	s.add(east, in(east, newer, "Failed"))
	s.add(west, in(west, older, "Running"))
	s.shows("   CONTEXT   POD   ZONE     STATUS", ">  west      web            Running", "   east      web   zone-1   Failed")
	s.says("2 objects", "")
	s.now = s.now.Add(time.Minute)
	s.event(cache.Modified, west, in(west, older, "Running"), in(west, older, "Ready"))
	s.event(cache.Deleted, east, nil, in(east, newer, "Failed"))
	s.shows("   CONTEXT   POD   ZONE     STATUS", ">~ west      web            Ready", " - east      web   zone-1   Failed")
	s.keys("s", "s", "s", "s") // by STATUS
	s.shows("   CONTEXT   POD   ZONE     STATUS↑", ">- east      web   zone-1   Failed", " ~ west      web            Ready")
}
