package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// answer writes the answer to one line, and on stderr what it warns of.
func (s *session) answer(ctx context.Context, line questionLine, out io.Writer) error {
	s.question.Asked = s.question.Connection.Now()
	flags, err := parseLine(line.text, s.question.CostLimit)
	if err != nil {
		return err
	}
	if s.allEnded() {
		return question.JoinFailures(s.caches.Failures())
	}
	err = s.answerFlags(ctx, flags, out)
	for _, warning := range flags.warnings {
		s.streams.Console.Warn(fmt.Sprintf("line %d: %s", line.number, warning))
	}
	return err
}

func (s *session) answerFlags(ctx context.Context, flags *lineFlags, out io.Writer) error {
	scope, err := flags.scope(s.question.Scope())
	if err != nil {
		return err
	}
	if err := s.lookUpReferences(ctx, flags); err != nil {
		return err
	}
	if err := s.leaveOutUnable(flags); err != nil {
		return err
	}
	if err := s.upTo(ctx, flags); err != nil {
		return err
	}
	s.warnOfEnded(flags)
	if flags.countBy != "" {
		return s.answerCounts(ctx, flags, out)
	}
	groups, err := s.groups(ctx, flags)
	if err != nil {
		return err
	}
	flags.warn(s.question.Quiet)
	streams := genericiooptions.IOStreams{In: s.streams.In, Out: out, ErrOut: s.streams.ErrOut}
	return flags.print.PrintList(streams, groups, printers.ListOptions{
		Scope: scope, SingleItem: s.question.Resolved.SingleItem, Terminal: s.streams.OutIsTerminal,
		// An empty table needs no words: its end says it. An empty document is one.
		IgnoreNotFound: flags.print.Human(),
		Warn:           func(warning string) { flags.warnings = append(flags.warnings, warning) },
		Warnings:       &flags.warnings,
	})
}

// warnOfEnded has an answer warn of the types that it leaves out.
func (s *session) warnOfEnded(flags *lineFlags) {
	for _, failure := range s.caches.Failures() {
		flags.warnings = append(flags.warnings,
			fmt.Sprintf("the answer lacks %s: %s", failure.Target.Resource.GroupResource(), process.Words(failure)))
	}
	for _, err := range s.question.LostContexts() {
		flags.lacks(err)
	}
}

// leaveOutUnable leaves out the types that cannot have what a line asks for, with a
// warning; it is an error where all are left out.
func (s *session) leaveOutUnable(flags *lineFlags) error {
	var able question.Ability
	flags.unable = map[cache.Target]bool{}
	for _, subject := range s.question.Subjects {
		if _, known := flags.asked[subject.Target.Context]; !known {
			flags.unable[subject.Target] = true // of which there is a warning
			continue
		}
		_, err := flags.queryFor(subject.Target).Bind(s.question.In(subject.Target).Registry, subject.Target)
		if err == nil {
			err = flags.uses.CanBeAskedOf(subject.Target)
		}
		if err == nil && flags.countBy != "" {
			_, err = s.question.Counted(subject.Target, flags.countBy)
		}
		if !able.Note(subject.Target, err) {
			flags.unable[subject.Target] = true
		}
	}
	if err := able.Failure(len(s.question.Subjects) - len(flags.unable)); err != nil {
		return err
	}
	if notice := able.Notice(); notice != "" {
		flags.warnings = append(flags.warnings, notice)
	}
	return nil
}

// answers says whether a line is answered from an informer.
func (s *session) answers(i *informer.Informer, flags *lineFlags) bool {
	return i.Synced() && i.Failure() == nil && !flags.unable[i.Target]
}

func (s *session) groups(ctx context.Context, flags *lineFlags) ([]printers.Group, error) {
	groups := make([]printers.Group, 0, len(s.question.Subjects))
	err := s.eachAnswering(flags, func(n int, i *informer.Informer) error {
		rows, err := s.rows(ctx, n, i, flags)
		if err == nil {
			groups = append(groups, printers.Group{Target: i.Target, Rows: rows})
		}
		return err
	})
	return groups, err
}

func (s *session) answerCounts(ctx context.Context, flags *lineFlags, out io.Writer) error {
	counted := question.NewCounts(flags.countBy)
	err := s.eachAnswering(flags, func(n int, i *informer.Informer) error {
		definitions, err := s.question.Counted(i.Target, flags.countBy)
		if err != nil {
			return err
		}
		if err := s.count(ctx, n, i, flags, definitions, counted); err != nil {
			return err
		}
		flags.absent.Read(i.Indexer(), definitions...)
		return nil
	})
	if err != nil {
		return err
	}
	flags.warn(s.question.Quiet)
	document := counted.Document()
	document.Warnings = flags.warnings
	return flags.print.PrintCounts(out, document, s.streams.OutIsTerminal)
}

// count reads the sets of one index where every object counts.
func (s *session) count(ctx context.Context, n int, i *informer.Informer, flags *lineFlags, by []index.Definition, to *question.Counts) error {
	if err := i.AddIndexers(index.Indexers(by...)); err != nil {
		return err
	}
	if question.FollowsOwners(by) {
		if err := s.question.FollowOwners(ctx, i); err != nil {
			return err
		}
	}
	if !s.question.Narrowed() && !flags.narrows(i.Target) && len(by) == 1 {
		to.AddValues(index.Counts(i.Indexer(), by[0]))
		return nil
	}
	rows, err := s.rows(ctx, n, i, flags)
	to.AddRows(rows, by)
	return err
}

// upTo has the caches hold what a line reads: managedFields and cells are in
// them only from the first line on that asks for them. The new caches take the
// place of the old, so that all answers come from the same. Each begins with a
// consistent read, and so is never older than an answer that was given before.
func (s *session) upTo(ctx context.Context, flags *lineFlags) error {
	needs, err := s.needs(flags)
	if err != nil {
		return err
	}
	representation := s.representation | needs&(cache.Cells|cache.ManagedFields)
	if representation == s.representation {
		return nil
	}
	fuller, err := s.sync(ctx, representation)
	if err != nil {
		return err
	}
	for n, i := range s.caches.Informers() {
		if failure := fuller.Informers()[n].Failure(); failure != nil && i.Failure() == nil {
			s.release(fuller)
			return failure
		}
	}
	s.release(s.caches)
	s.caches, s.representation = fuller, representation
	return nil
}

// needs is the least representation that a line can be answered from.
func (s *session) needs(flags *lineFlags) (cache.Representation, error) {
	needs := flags.matches.Needs()
	if flags.countBy == "" {
		needs |= flags.print.ListNeeds()
	}
	for _, subject := range s.question.Subjects {
		if flags.unable[subject.Target] {
			continue
		}
		bound, err := flags.queryFor(subject.Target).Bind(s.question.In(subject.Target).Registry, subject.Target)
		if err != nil {
			return 0, err
		}
		needs |= bound.Needs()
		if flags.countBy == "" {
			continue
		}
		counted, err := s.question.Counted(subject.Target, flags.countBy)
		if err != nil {
			return 0, err
		}
		for _, definition := range counted {
			needs |= definition.Needs
		}
	}
	return needs, nil
}

// rows are the objects of one subject that a line, and the command itself, ask
// for. Indexes that no line has asked for before are added to the Indexer, which
// then keeps them.
func (s *session) rows(ctx context.Context, n int, i *informer.Informer, flags *lineFlags) ([]*cache.Row, error) {
	bound, err := s.bind(ctx, n, i, flags)
	if err != nil {
		return nil, err
	}
	if err := i.AddIndexers(bound.Indexers()); err != nil {
		return nil, err
	}
	rows := i.Rows(bound)
	if len(flags.namespaces) > 0 {
		flags.absent.Ask(i, bound, toolscache.NamespaceIndex) // -n is no --by
	} else {
		flags.absent.Ask(i, bound)
	}
	kept := rows[:0]
	for _, row := range rows {
		if !s.question.Subjects[n].By.Match(row) || !flags.selected.Matches(labels.Set(row.Labels)) {
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

// bind binds a line to the objects of an informer, and has what it depends on known.
func (s *session) bind(ctx context.Context, n int, i *informer.Informer, flags *lineFlags) (*index.Bound, error) {
	q := s.question.In(i.Target)
	subject := s.question.Subjects[n]
	bound, err := flags.queryFor(i.Target).Bind(q.Registry, i.Target)
	if err != nil {
		return nil, err
	}
	if bound.FollowsOwners() || subject.By.FollowsOwners() {
		if err := q.FollowOwners(ctx, i); err != nil {
			return nil, err
		}
	}
	err = q.Dependencies.Users.Failure(subject.Users)
	if err == nil {
		_, err = q.NarrowToUses(ctx, &flags.uses, i.Target, bound)
	}
	if err != nil && i.Target.Context != "" {
		err = &cache.ContextError{Context: i.Target.Context, Err: err}
	}
	return bound, err
}

func (s *session) holds(ctx context.Context, row *cache.Row, line *match.Where) (bool, error) {
	asked := s.question.Asked
	holds, _, err := s.question.Where.Eval(ctx, asked, row, nil)
	if err != nil || !holds {
		return false, err
	}
	holds, _, err = line.Eval(ctx, asked, row, nil)
	return holds, err
}

// endLine is the line that ends an answer, endByte the byte that does with --null.
const (
	endLine = "---\n"
	endByte = "\x00"
)

// answerWriter passes on an answer, and knows what has to come after it.
type answerWriter struct {
	to io.Writer
	// null says that a NUL ends the answer: there is none in it.
	null bool
	last byte
}

// Write passes on p. With null, a NUL that data holds is written as JSON does.
func (w *answerWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	w.last = p[len(p)-1]
	text := p
	if w.null {
		text = bytes.ReplaceAll(p, []byte(endByte), []byte(`\u0000`))
	}
	if _, err := w.to.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// end is what ends the answer.
func (w *answerWriter) end() string {
	switch {
	case w.null:
		return endByte
	case w.last != '\n':
		return "\n" + endLine
	}
	return endLine
}

// writeStatus is the answer to a line that cannot be answered: the server's own
// Status if it is one that the server does not answer.
func writeStatus(s process.Streams, out io.Writer, line string, err error) error {
	status := apierrors.NewBadRequest(withoutObjects(strings.TrimPrefix(process.Words(err), "error: "))).Status()
	var server apierrors.APIStatus
	if errors.As(err, &server) {
		status = server.Status()
	}
	if len(line) > maxQuoted {
		shortenStatus(&status)
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	text, err := json.Marshal(status)
	if err != nil {
		return err
	}
	if s.OutIsTerminal {
		text = display.Escape(text, "")
	}
	_, err = fmt.Fprintf(out, "%s\n", text)
	return err
}

// withoutObjects leaves out of the error of a JSONPath template the objects that
// it failed on, which kubectl appends.
func withoutObjects(message string) string {
	message, _, _ = strings.Cut(message, ". Printing more information for debugging the template:")
	return message
}

// messageWord is what messages quote, or what stands between spaces.
var messageWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`)

// shortenStatus leaves out of a Status what is too long in it. Of a short line nothing is.
func shortenStatus(status *metav1.Status) {
	status.Message = shortened(status.Message)
	if status.Details != nil {
		details := *status.Details
		details.Name = display.Shorten(details.Name, maxQuoted)
		status.Details = &details
	}
}

// shortened is a message without what is too long in it: whoever wrote a bad line
// knows it. Excerpts of an expression, with the place of the fault, stay whole.
func shortened(message string) string {
	lines := strings.SplitAfter(message, "\n")
	for n, line := range lines {
		if !strings.HasPrefix(line, " | ") {
			lines[n] = messageWord.ReplaceAllStringFunc(line, func(word string) string { return display.Shorten(word, maxQuoted) })
		}
	}
	return display.Shorten(strings.Join(lines, ""), maxMessage)
}
