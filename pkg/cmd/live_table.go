package cmd

import (
	"bytes"
	"context"
	"fmt"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/liveview"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// objects makes the model of a table of objects.
func (v *view) objects(o *liveOptions) error {
	q := v.question
	sorter, err := o.print.Sorter()
	if err != nil {
		return err
	}
	cells := o.print.Cells(q.Scope(), q.Targets())
	options := v.options(o, cells)
	options.Noun, options.Nouns = "object", "objects"
	options.Nothing = printers.NothingFound(q.Targets(), q.Scope())
	options.Changes = func(target cache.Target, old, now *cache.Row) []string {
		return o.print.ChangesOf(cache.Event{Type: cache.Modified, Target: target, Old: old, Row: now})
	}
	options.IsChange = func(target cache.Target, old, now *cache.Row) bool {
		return cells.LooksChanged(target, old, now) || len(options.Changes(target, old, now)) > 0
	}
	options.YAML = func(row *cache.Row) (string, error) { return yamlOf(o.print.AsYAML(), row) }
	if sorter.Active() {
		options.Key = func(_ cache.Target, row *cache.Row) any {
			key, err := sorter.Key(row)
			if err != nil {
				o.streams.Console.WarnOnce(err.Error() + ": it comes last")
			}
			return key
		}
		options.Compare = func(a, b any) int { return sorter.Compare(a.(printers.RowKey), b.(printers.RowKey)) }
	}
	v.model = liveview.New(options)
	return nil
}

// counts makes the model of the lines of --count-by.
func (v *view) counts(ctx context.Context, o *liveOptions) error {
	q := v.question
	definitions, err := o.counted(q)
	if err != nil {
		return err
	}
	names := index.SplitNames(o.resources.CountBy)
	v.counter = liveview.NewCounter(names, func(target cache.Target, row *cache.Row) [][]string {
		by := definitions[target]
		if question.FollowsOwners(by) && q.In(target).Dependencies.Owners.Follow(ctx, target.Namespace, row) != nil {
			return nil // the view ends
		}
		return index.Together(row, by)
	})
	options := v.options(o, o.print.Cells(printers.Scope{}, nil))
	options.Targets = []cache.Target{{}} // of no type
	options.Noun, options.Nouns = "value", "values"
	options.Nothing = fmt.Sprintf("No values found in index %q.", o.resources.CountBy)
	options.Key = func(_ cache.Target, row *cache.Row) any { return row }
	options.Compare = liveview.CompareCounts
	options.IsChange = func(cache.Target, *cache.Row, *cache.Row) bool { return true }
	options.Changes = func(_ cache.Target, old, now *cache.Row) []string {
		return []string{fmt.Sprintf("    ~ count: %d → %d", liveview.CountOf(old), liveview.CountOf(now))}
	}
	options.Count = liveview.CountOf
	v.model = liveview.New(options)
	return nil
}

// options are what both kinds of tables have in common.
func (v *view) options(o *liveOptions, cells *printers.Cells) liveview.Options {
	return liveview.Options{
		Targets: v.question.Targets(),
		Columns: func(target cache.Target, row *cache.Row) []liveview.Column {
			var columns []liveview.Column
			for _, column := range cells.Columns(target, row) {
				columns = append(columns, liveview.Column(column))
			}
			return columns
		},
		Cells:   cells.Of,
		Size:    sizeOf,
		Headers: o.print.Headers(), Limit: o.print.Limit, Opened: v.opened,
	}
}

// sizeOf is about how many bytes a row takes: what a body does not say of itself is
// taken for that of a large object.
func sizeOf(row *cache.Row) int {
	const metadata, unknown = 1 << 10, 16 << 10
	switch body := row.Body.(type) {
	case nil:
		return metadata
	case compress.Body:
		return metadata + body.Bytes().Len()
	}
	return metadata + unknown
}

// yamlOf is an object as `list -o yaml` prints it on a terminal.
func yamlOf(print *printers.Flags, row *cache.Row) (string, error) {
	var text bytes.Buffer
	streams := genericiooptions.IOStreams{Out: &text, ErrOut: &text}
	err := print.PrintList(streams, []printers.Group{{Rows: []*cache.Row{row}}}, printers.ListOptions{SingleItem: true, Terminal: true})
	return text.String(), err
}
