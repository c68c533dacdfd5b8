package liveview

import (
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Counter makes, of the events of objects, those of the lines of --count-by: each
// value, or combination of values, is a row whose last cell is its count.
type Counter struct {
	columns *cache.Columns
	values  func(cache.Target, *cache.Row) [][]string
	counted map[cache.Target]map[cache.Identity]*countedObject
	lines   map[string]*countLine
	changed []*countLine
}

// countedObject is an object, and what it counts for.
type countedObject struct {
	row   *cache.Row
	lines []*countLine
}

// countLine is a value or a combination of values, and how many objects have it.
type countLine struct {
	values  []string
	objects int
	// row is what has been reported, nil for nothing; changed that it may be another.
	row     *cache.Row
	changed bool
}

// NewCounter counts by indexes of these names. values are, of an object, the values
// of each.
func NewCounter(names []string, values func(cache.Target, *cache.Row) [][]string) *Counter {
	columns := make(cache.Columns, 0, len(names)+1)
	for _, name := range names {
		columns = append(columns, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	columns = append(columns, metav1.TableColumnDefinition{Name: "Count", Type: "integer"})
	return &Counter{
		columns: &columns, values: values,
		counted: map[cache.Target]map[cache.Identity]*countedObject{}, lines: map[string]*countLine{},
	}
}

// Apply counts an event of an object.
func (c *Counter) Apply(event cache.Event) {
	if event.Row == nil || event.Type == cache.Resync {
		return
	}
	objects := c.counted[event.Target]
	if objects == nil {
		objects = map[cache.Identity]*countedObject{}
		c.counted[event.Target] = objects
	}
	identity := event.Row.Identity()
	object := objects[identity]
	if event.Type == cache.Deleted {
		if object != nil {
			c.count(object.lines, -1)
			delete(objects, identity)
		}
		return
	}
	if object == nil {
		object = &countedObject{}
		objects[identity] = object
	}
	object.row = event.Row
	c.recount(event.Target, object)
}

// Reconsider counts all objects again, after a change of others on which it depends
// what they count for.
func (c *Counter) Reconsider() {
	for target, objects := range c.counted {
		for _, object := range objects {
			c.recount(target, object)
		}
	}
}

func (c *Counter) recount(target cache.Target, object *countedObject) {
	values := c.values(target, object.row)
	now := make([]*countLine, len(values))
	for n := range values {
		now[n] = c.line(values[n])
	}
	if slices.Equal(now, object.lines) {
		return
	}
	c.count(now, 1)
	c.count(object.lines, -1)
	object.lines = now
}

func (c *Counter) line(values []string) *countLine {
	key := strings.Join(values, "\x00")
	line := c.lines[key]
	if line == nil {
		line = &countLine{values: values}
		c.lines[key] = line
	}
	return line
}

func (c *Counter) count(lines []*countLine, by int) {
	for _, line := range lines {
		line.objects += by
		if !line.changed {
			line.changed = true
			c.changed = append(c.changed, line)
		}
	}
}

// Flush returns what has become of the lines since it was called last.
func (c *Counter) Flush(now time.Time, initial bool) []cache.Event {
	var events []cache.Event
	for _, line := range c.changed {
		line.changed = false
		event := cache.Event{Type: cache.Modified, Old: line.row, Row: c.row(line), Time: now, Initial: initial}
		switch {
		case line.row != nil && CountOf(line.row) == line.objects, line.row == nil && line.objects == 0:
			if line.objects == 0 {
				delete(c.lines, strings.Join(line.values, "\x00"))
			}
			continue
		case line.row == nil:
			event.Type, event.Old = cache.Added, nil
		case line.objects == 0:
			event.Type, event.Old = cache.Deleted, nil
			delete(c.lines, strings.Join(line.values, "\x00"))
		}
		line.row = event.Row
		events = append(events, event)
	}
	c.changed = c.changed[:0]
	return events
}

func (c *Counter) row(line *countLine) *cache.Row {
	row := &cache.Row{Columns: c.columns}
	row.Name = strings.Join(line.values, ", ")
	for _, value := range line.values {
		row.Cells = append(row.Cells, value)
	}
	row.Cells = append(row.Cells, int64(line.objects))
	return row
}

// CountOf is the count in a row of a Counter.
func CountOf(row *cache.Row) int {
	count, _ := row.Cells[len(row.Cells)-1].(int64)
	return int(count)
}

// CompareCounts puts rows of a Counter into the order of --count-by: most first, then
// in the order of the values.
func CompareCounts(a, b any) int {
	one, _ := a.(*cache.Row)
	other, _ := b.(*cache.Row)
	if c := cmp.Compare(CountOf(other), CountOf(one)); c != 0 {
		return c
	}
	for n := range len(one.Cells) - 1 {
		before, _ := one.Cells[n].(string)
		after, _ := other.Cells[n].(string)
		if c := cmp.Compare(before, after); c != 0 {
			return c
		}
	}
	return 0
}
