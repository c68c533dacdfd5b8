package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"

	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// validateCountBy says which flags are about the lines of objects, which --count-by
// does not print.
func validateCountBy(flags *pflag.FlagSet, countBy string) error {
	switch {
	case !flags.Changed("count-by"):
		return nil
	case countBy == "":
		return errors.New("--count-by needs the name of an index, or a field path")
	case slices.Contains(index.SplitNames(countBy), ""):
		return fmt.Errorf("--count-by %q: an index has no name", countBy)
	}
	if flags.Changed("sort-by") {
		return errors.New("--sort-by cannot be used with --count-by: counts come most first")
	}
	if output := flags.Lookup("output"); output.Value.String() == "wide" {
		return errors.New("-o wide cannot be used with --count-by: an index's values have no other columns")
	}
	for _, name := range []string{"label-columns", "show-labels", "show-kind", "show-managed-fields", "server-print"} {
		if flags.Changed(name) {
			return fmt.Errorf("--%s cannot be used with --count-by: it prints an index's values, not objects", name)
		}
	}
	return nil
}

// printCounts prints the values of an index over all subjects together.
func (o *listOptions) printCounts(ctx context.Context, q *question, group *informer.Group) error {
	counted := newCounts(o.countBy)
	errs := append(slices.Clone(q.resolved.Unresolved), joinFailures(group.Failures()))
	missing, err := o.notFound(ctx, q, group)
	if err != nil {
		return err
	}
	errs = append(errs, missing...)
	for n, i := range group.Informers() {
		if i.Failure() != nil {
			continue
		}
		// They were found when the informer was planned.
		definitions, err := q.counted(i.Target, o.countBy)
		if err != nil {
			return err
		}
		if err := o.count(ctx, q, n, i, definitions, counted); err != nil {
			return err
		}
	}
	warned := o.warnAbsent(q, group)
	document := counted.document()
	err = o.print.PrintCounts(o.streams.Out, document, o.streams.OutIsTerminal)
	err = errors.Join(append(errs, err)...)
	if err != nil || len(document.Values)+len(document.Combinations) > 0 {
		return err
	}
	return o.nothingCounted(warned)
}

// nothingCounted says to people that there is no value, unless a warning
// has said why.
func (o *listOptions) nothingCounted(warned bool) error {
	if o.print.Human() && !warned {
		o.streams.Console.Say("No values found in index %q.", o.countBy)
	}
	if o.exitStatus {
		return process.ErrNothingMatched
	}
	return nil
}

// count reads the sets of one index where every object counts.
func (o *listOptions) count(ctx context.Context, q *question, n int, i *informer.Informer, by []index.Definition, to *counts) error {
	if followsOwners(by) {
		if err := q.followOwners(ctx, i); err != nil {
			return err
		}
	}
	if !q.narrowed() && len(by) == 1 {
		to.addValues(index.Counts(i.Indexer(), by[0]))
		return nil
	}
	rows, err := q.rows(ctx, n, i)
	to.addRows(rows, by)
	return err
}

func followsOwners(definitions []index.Definition) bool {
	return slices.ContainsFunc(definitions, func(d index.Definition) bool { return d.FollowsOwners })
}

func mostFirst(objects map[string]int) []printers.Count {
	counts := make([]printers.Count, 0, len(objects))
	for value, n := range objects {
		counts = append(counts, printers.Count{Value: value, Count: n})
	}
	slices.SortFunc(counts, func(a, b printers.Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return counts
}

// counted are the indexes of --count-by for a type.
func (q *question) counted(t cache.Target, countBy string) ([]index.Definition, error) {
	names := index.SplitNames(countBy)
	definitions := make([]index.Definition, len(names))
	for i, name := range names {
		var err error
		if definitions[i], err = q.registry.Lookup(t, name); err != nil {
			return nil, err
		}
	}
	return definitions, nil
}

// counts is what --count-by has counted so far: the values of one index, or the
// combinations of several.
type counts struct {
	by           string
	objects      map[string]int
	combinations index.Combinations
}

func newCounts(by string) *counts { return &counts{by: by, objects: map[string]int{}} }

// addValues adds the values of one index.
func (c *counts) addValues(values []index.Count) {
	for _, value := range values {
		c.objects[value.Value] += value.Objects
	}
}

// addRows adds rows, of one index or of several.
func (c *counts) addRows(rows []*cache.Row, definitions []index.Definition) {
	if len(definitions) == 1 {
		c.addValues(index.CountRows(rows, definitions[0]))
		return
	}
	c.combinations.Add(rows, definitions)
}

// document is what is printed.
func (c *counts) document() printers.Counts {
	names := index.SplitNames(c.by)
	if len(names) == 1 {
		return printers.Counts{Index: c.by, Values: mostFirst(c.objects)}
	}
	document := printers.Counts{Indexes: names}
	for _, one := range c.combinations.MostFirst() {
		document.Combinations = append(document.Combinations, printers.Combination{Values: one.Values, Count: one.Objects})
	}
	return document
}
