package cmd

import (
	"context"
	"io"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// answer writes the answer to one line.
func (s *session) answer(ctx context.Context, line string, out io.Writer) error {
	flags, err := parseLine(line, s.question.ask.costLimit)
	if err != nil {
		return err
	}
	if s.allEnded() {
		return joinFailures(s.whole.Failures())
	}
	scope, err := flags.scope(s.question.scope())
	if err != nil {
		return err
	}
	if err := s.lookUpReferences(ctx, flags); err != nil {
		return err
	}
	if err := s.upTo(ctx, flags); err != nil {
		return err
	}
	defer s.tell(flags)
	if flags.countBy != "" {
		return s.answerCounts(ctx, flags, out)
	}
	groups, err := s.groups(ctx, flags)
	if err != nil {
		return err
	}
	streams := genericiooptions.IOStreams{In: s.streams.In, Out: out, ErrOut: s.streams.ErrOut}
	return flags.print.PrintList(streams, groups, printers.ListOptions{
		Scope: scope, SingleItem: s.question.resolved.SingleItem, Terminal: s.streams.OutIsTerminal, Warn: s.streams.console.warn,
		// An empty table needs no words: its end says it. An empty document is one.
		IgnoreNotFound: flags.print.Human(),
	})
}

func (s *session) groups(ctx context.Context, flags *lineFlags) ([]printers.Group, error) {
	groups := make([]printers.Group, 0, len(s.question.subjects))
	for n, i := range s.whole.Informers() {
		if !i.Synced() || i.Failure() != nil {
			continue
		}
		rows, err := s.rows(ctx, n, i, flags)
		if err != nil {
			return nil, err
		}
		if flags.print.ListNeeds().Has(cache.Cells) {
			if rows, err = s.withCells(ctx, n, rows); err != nil {
				return nil, err
			}
		}
		groups = append(groups, printers.Group{Target: i.Target, Rows: rows})
	}
	return groups, nil
}

func (s *session) answerCounts(ctx context.Context, flags *lineFlags, out io.Writer) error {
	counts := map[string]int{}
	for n, i := range s.whole.Informers() {
		if !i.Synced() || i.Failure() != nil {
			continue
		}
		definition, err := s.question.registry.Lookup(i.Target, flags.countBy)
		if err != nil {
			return err
		}
		counted, err := s.count(ctx, n, i, flags, definition)
		if err != nil {
			return err
		}
		for _, count := range counted {
			counts[count.Value] += count.Objects
		}
		flags.absent.read(i.Indexer(), definition)
	}
	return flags.print.PrintCounts(out, flags.countBy, mostFirst(counts), s.streams.OutIsTerminal)
}

// count reads the index's sets where every object counts.
func (s *session) count(ctx context.Context, n int, i *informer.Informer, flags *lineFlags, d index.Definition) ([]index.Count, error) {
	if err := i.AddIndexers(index.Indexers(d)); err != nil {
		return nil, err
	}
	if !s.question.narrowed() && !flags.narrows(i.Target) {
		return index.Counts(i.Indexer(), d), nil
	}
	rows, err := s.rows(ctx, n, i, flags)
	return index.CountRows(rows, d), err
}

// lookUpReferences puts the values of objects into a line's --by. An object is
// looked for where the line looks.
func (s *session) lookUpReferences(ctx context.Context, flags *lineFlags) error {
	namespaces := flags.namespaces
	if len(namespaces) == 0 {
		namespaces = s.question.ask.namespaces()
	}
	values, err := s.question.valuesOf(ctx, flags.query.References(), namespaces)
	flags.query, flags.within = flags.query.Resolve(values), flags.within.Resolve(values)
	return err
}

// upTo has the caches hold what a line reads. managedFields are in them only
// from the first line on that asks for them.
func (s *session) upTo(ctx context.Context, flags *lineFlags) error {
	needs := flags.print.ListNeeds() | flags.matches.Needs()
	for _, subject := range s.question.subjects {
		bound, err := flags.queryFor(subject.target).Bind(s.question.registry, subject.target)
		if err != nil {
			return err
		}
		needs |= bound.Needs()
		if flags.countBy == "" {
			continue
		}
		counted, err := s.question.registry.Lookup(subject.target, flags.countBy)
		if err != nil {
			return err
		}
		needs |= counted.Needs
	}
	if s.hasManagedFields || !needs.Has(cache.ManagedFields) {
		return nil
	}
	fuller, err := s.sync(ctx, cache.Whole|cache.ManagedFields)
	if err != nil {
		return err
	}
	s.whole.stop()
	s.whole, s.hasManagedFields = fuller, true
	return nil
}

// rows are the objects of one subject that a line, and the command itself, ask
// for. Indexes that no line has asked for before are added to the Indexer, which
// then keeps them.
func (s *session) rows(ctx context.Context, n int, i *informer.Informer, flags *lineFlags) ([]*cache.Row, error) {
	bound, err := flags.queryFor(i.Target).Bind(s.question.registry, i.Target)
	if err != nil {
		return nil, err
	}
	if err := i.AddIndexers(bound.Indexers()); err != nil {
		return nil, err
	}
	rows := i.Rows(bound)
	flags.absent.read(i.Indexer(), bound.Definitions()...)
	kept := rows[:0]
	for _, row := range rows {
		if !s.question.subjects[n].by.Match(row) || !flags.selected.Matches(labels.Set(row.Labels)) {
			continue
		}
		holds, err := s.holds(ctx, row, flags.matches)
		if err != nil {
			return nil, err
		}
		if holds {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

func (s *session) holds(ctx context.Context, row *cache.Row, line *match.Where) (bool, error) {
	holds, err := s.question.where.Eval(ctx, row, nil)
	if err != nil || !holds {
		return false, err
	}
	return line.Eval(ctx, row, nil)
}

// tell says what a line's expressions missed. The same path is told once in a
// session.
func (s *session) tell(flags *lineFlags) {
	for _, notice := range flags.absent.notices() {
		s.notices.warnOnce(notice)
	}
	tellMisses(s.streams.console, flags.matches)
}

// withCells gives rows the server's table cells, from informers that the first
// question for a table starts. A row that these have not seen yet is left out:
// it is a moment old.
func (s *session) withCells(ctx context.Context, n int, rows []*cache.Row) ([]*cache.Row, error) {
	if s.cells == nil {
		cells, err := s.sync(ctx, cache.Cells)
		if err != nil {
			return nil, err
		}
		s.cells = cells
	}
	indexer := s.cells.Informers()[n].Indexer()
	full := make([]*cache.Row, 0, len(rows))
	for _, row := range rows {
		object, exists, err := indexer.Get(row)
		if err != nil {
			return nil, err
		}
		if !exists {
			continue
		}
		printed := *row
		cells := object.(*cache.Row)
		printed.Columns, printed.Cells = cells.Columns, cells.Cells
		full = append(full, &printed)
	}
	return full, nil
}
