package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
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
func (o *listOptions) printCounts(ctx context.Context, q *question.Question, group *informer.Group) error {
	counted := question.NewCounts(o.resources.CountBy)
	errs := append(slices.Clone(q.Resolved.Unresolved), question.JoinFailures(group.Failures()))
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
		definitions, err := q.Counted(i.Target, o.resources.CountBy)
		if err != nil {
			return err
		}
		if err := o.count(ctx, q, n, i, definitions, counted); err != nil {
			return err
		}
	}
	warned := o.warnAbsent(q, group)
	document := counted.Document()
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
		o.streams.Console.Say("No values found in index %q.", o.resources.CountBy)
	}
	if o.exitStatus {
		return process.ErrNothingMatched
	}
	return nil
}

// count reads the sets of one index where every object counts.
func (o *listOptions) count(ctx context.Context, q *question.Question, n int, i *informer.Informer, by []index.Definition, to *question.Counts) error {
	if question.FollowsOwners(by) {
		if err := q.FollowOwners(ctx, i); err != nil {
			return err
		}
	}
	if !q.Narrowed() && len(by) == 1 {
		to.AddValues(index.Counts(i.Indexer(), by[0]))
		return nil
	}
	rows, err := q.Rows(ctx, n, i)
	to.AddRows(rows, by)
	return err
}
