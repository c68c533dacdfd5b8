package liveview

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The arrows behind the name of the column that is sorted by.
const (
	ascending  = "↑"
	descending = "↓"
)

// sorting is what a key of the keyboard sorts by: a column, by its name. Empty is the
// order that was asked for.
type sorting struct {
	column     string
	descending bool
}

// sortKey is what a row is sorted by.
func (m *Model) sortKey(s *section, i *item, cells []string) any {
	if m.sorting.column == "" {
		if m.o.Key == nil {
			return cellValue{} // the server's order, in which nothing ever moves
		}
		return m.o.Key(i.target, i.row)
	}
	for n, column := range s.columns {
		switch {
		case column.Name != m.sorting.column || n >= len(cells):
		case column.IsAge && !i.row.CreationTimestamp.IsZero():
			return cellValue{number: -float64(i.row.CreationTimestamp.Unix()), isNumber: true}
		default:
			return valueOf(cells[n])
		}
	}
	return cellValue{}
}

func (m *Model) compareKeys(a, b any) int {
	if m.sorting.column == "" {
		if m.o.Key == nil {
			return 0
		}
		return m.o.Compare(a, b)
	}
	before, _ := a.(cellValue)
	after, _ := b.(cellValue)
	if m.sorting.descending {
		return after.compare(before)
	}
	return before.compare(after)
}

// compare compares rows of one section. Those of several clusters come in the order in
// which these are asked, where nothing else says more.
func (m *Model) compare(a, b *item) int {
	return cmp.Or(m.compareKeys(a.key, b.key),
		cmp.Compare(m.contexts[a.target.Context], m.contexts[b.target.Context]), cache.CompareRows(a.row, b.row))
}

// cellValue is a cell in a form that compares by what it means.
type cellValue struct {
	number   float64
	isNumber bool
	text     string
}

// compare has numbers before texts.
func (v cellValue) compare(other cellValue) int {
	if v.isNumber != other.isNumber {
		if v.isNumber {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(v.number, other.number), cmp.Compare(v.text, other.text))
}

// valueOf reads a cell: a number, a quantity, a duration as tables show it, or a number
// with more behind it, as in "3 (5m ago)", "2/3" and "30%".
func valueOf(cell string) cellValue {
	if number, ok := numberOf(cell); ok {
		return cellValue{number: number, isNumber: true, text: cell}
	}
	if end := strings.IndexFunc(cell, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }); end > 0 && strings.ContainsRune(" /%:", rune(cell[end])) {
		if number, err := strconv.ParseFloat(cell[:end], 64); err == nil {
			return cellValue{number: number, isNumber: true, text: cell}
		}
	}
	return cellValue{text: cell}
}

func numberOf(cell string) (float64, bool) {
	if number, err := strconv.ParseFloat(cell, 64); err == nil && cell[0] <= '9' {
		return number, true
	}
	if seconds, ok := secondsOf(cell); ok {
		return seconds, true
	}
	if cell == "" || cell[0] < '0' || cell[0] > '9' {
		return 0, false
	}
	quantity, err := resource.ParseQuantity(cell)
	if err != nil {
		return 0, false
	}
	return quantity.AsApproximateFloat64(), true
}

// secondsOf reads what duration.HumanDuration writes, such as 5d3h. What one unit
// alone could also be as a quantity, such as 5m, is minutes: so are tables.
func secondsOf(cell string) (float64, bool) {
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'y': 365 * 24 * time.Hour}
	total, digits := 0.0, 0
	for i := range len(cell) {
		if cell[i] >= '0' && cell[i] <= '9' {
			continue
		}
		unit, known := units[cell[i]]
		number, err := strconv.Atoi(cell[digits:i])
		if !known || err != nil {
			return 0, false
		}
		total, digits = total+float64(number)*unit.Seconds(), i+1
	}
	return total, cell != "" && digits == len(cell)
}
