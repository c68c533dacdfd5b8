package liveview

import (
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Column is a column of a table.
type Column struct {
	Name string
	// IsAge says that its cells are the time since creation: they move by themselves.
	IsAge bool
}

// Options are what a Model must know of what it shows. The functions are pure.
type Options struct {
	// Targets are in the order in which their tables are shown, one for each type.
	Targets []cache.Target
	// Columns are those of a row's table, and Cells a cell for each, as of a time.
	// All text is fit for a terminal.
	Columns func(cache.Target, *cache.Row) []Column
	Cells   func(cache.Target, *cache.Row, time.Time) []string
	// Key is what a row is sorted by, as Compare compares it; rows that compare equal,
	// and all where it is nil, are in the server's order.
	Key     func(cache.Target, *cache.Row) any
	Compare func(a, b any) int
	// IsChange says whether a row is to be marked for a change.
	IsChange func(target cache.Target, old, now *cache.Row) bool
	// Changes are the lines that say what changed; none where nothing did that means
	// anything.
	Changes func(target cache.Target, old, now *cache.Row) []string
	// YAML prints an object; nil where rows are none.
	YAML func(*cache.Row) (string, error)
	// Count is the length of a row's bar; nil where there are none.
	Count func(*cache.Row) int
	// Size is about how many bytes a row takes.
	Size func(*cache.Row) int

	// Headers says that tables have headers.
	Headers bool
	// Limit is how many rows there are at most, 0 for all.
	Limit int
	// Noun is what one row is, and Nouns what several are.
	Noun, Nouns string
	// Nothing is said where there is no row.
	Nothing string
	// Opened is when the view was opened.
	Opened time.Time
}

const (
	// markTime is how long a row stays marked, and a deleted one stays.
	markTime = 3 * time.Second
	// noticeTime is how long news stays, unless it is that the connection is lost.
	noticeTime = 10 * time.Second
	// maxHistory bounds, in bytes, the states that are kept of all objects together.
	maxHistory = 12 << 20
	// clockLayout is how times are written in the history.
	clockLayout = "2006-01-02T15:04:05.000-07:00"
)
