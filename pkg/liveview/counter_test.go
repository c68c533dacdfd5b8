package liveview

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// counting is a view of how many objects have each status.
func counting(t *testing.T) (*script, func(cache.EventType, *cache.Row)) {
	counter := NewCounter([]string{"status"}, func(_ cache.Target, r *cache.Row) (values [][]string) {
		for status := range strings.FieldsSeq(r.Cells[1].(string)) {
			values = append(values, []string{status})
		}
		return values
	})
	o := options(cache.Target{})
	o.Columns = func(_ cache.Target, r *cache.Row) []Column {
		var columns []Column
		for _, column := range *r.Columns {
			columns = append(columns, Column{Name: strings.ToUpper(column.Name)})
		}
		return columns
	}
	o.Cells = func(_ cache.Target, r *cache.Row, _ time.Time) []string {
		return []string{r.Cells[0].(string), string(rune('0' + CountOf(r)))}
	}
	o.IsChange = func(cache.Target, *cache.Row, *cache.Row) bool { return true }
	o.Key, o.Compare, o.Count, o.YAML = func(_ cache.Target, r *cache.Row) any { return r }, CompareCounts, CountOf, nil
	o.Noun, o.Nouns = "value", "values"
	s := watch(t, o)
	s.width = 40
	return s, func(kind cache.EventType, r *cache.Row) {
		counter.Apply(cache.Event{Type: kind, Target: pods, Row: r, Time: s.now})
		for _, event := range counter.Flush(s.now, false) {
			s.Apply(event)
		}
	}
}

func TestCountsAreBarsThatFollowTheirObjects(t *testing.T) {
	s, event := counting(t)
	for _, name := range []string{"a", "b", "c"} {
		event(cache.Added, row(name, "Running", 0))
	}
	event(cache.Added, row("d", "Pending", 0))
	s.now = s.now.Add(time.Minute)
	s.shows("   STATUS    COUNT", ">  Running   3       "+strings.Repeat("█", 19), "   Pending   1       "+strings.Repeat("█", 6))
	event(cache.Modified, row("a", "Pending", 0))
	event(cache.Deleted, row("b", "Running", 0))
	s.shows("   STATUS    COUNT", ">~ Pending   2       "+strings.Repeat("█", 19), " ~ Running   1       "+strings.Repeat("█", 9))
	event(cache.Deleted, row("c", "Running", 0))
	s.shows("   STATUS    COUNT", ">~ Pending   2       "+strings.Repeat("█", 19), " - Running   0")
	s.says("1 value", "")
}

func TestAnObjectCountsForEachOfItsValues(t *testing.T) {
	s, event := counting(t)
	event(cache.Added, row("a", "x y", 0))
	event(cache.Modified, row("a", "y z", 0))
	s.now = s.now.Add(time.Minute)
	if got := s.body(); len(got) != 3 || !strings.Contains(got[1], "y ") || !strings.Contains(got[2], "z ") {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	event(cache.Deleted, row("a", "only its name is known", 0))
	s.now = s.now.Add(time.Minute)
	s.says("0 values", "")
}

func TestACountThatIsTheSameAgainIsNoChange(t *testing.T) {
	counter := NewCounter([]string{"status"}, func(_ cache.Target, r *cache.Row) [][]string { return [][]string{{r.Cells[1].(string)}} })
	apply := func(kind cache.EventType, name, status string) {
		counter.Apply(cache.Event{Type: kind, Target: pods, Row: row(name, status, 0)})
	}
	apply(cache.Added, "a", "Running")
	if got := counter.Flush(start, true); len(got) != 1 || !got[0].Initial {
		t.Fatalf("got %v", got)
	}
	apply(cache.Added, "b", "Running")
	apply(cache.Deleted, "b", "Running")
	apply(cache.Added, "c", "Pending")
	apply(cache.Deleted, "c", "Pending")
	if got := counter.Flush(start, false); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if len(counter.lines) != 1 {
		t.Errorf("%d values are kept", len(counter.lines))
	}
}

func TestALineOfCountsHasAHistoryAndNoYAML(t *testing.T) {
	s, event := counting(t)
	s.width = 90
	event(cache.Added, row("a", "Running", 0))
	event(cache.Added, row("b", "Running", 0))
	s.keys("y")
	s.says("1 value", "counts have no YAML: a line stands for several objects")
	s.keys(Enter)
	if got := s.body(); len(got) < 2 || !strings.HasPrefix(got[0], "Changes of Running since") || !strings.HasSuffix(got[1], "  ADDED") {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}
