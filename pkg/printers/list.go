package printers

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// Group is what one Target answered: what kubectl would have asked for in one
// request, or in one request a page.
type Group struct {
	Target cache.Target
	// Rows are in the server's order. A type without objects is a group without
	// rows; a Target that failed, or was not found, is no group at all. Groups of
	// one type in several namespaces stand side by side, and make one table.
	Rows []*cache.Row
}

// Scope is which namespaces were asked for.
type Scope struct {
	// Contexts means that objects of several clusters can be among the answers: each
	// says which is its own.
	Contexts bool
	// AllNamespaces is -A.
	AllNamespaces bool
	// Namespaces are those of -n, or the context's own.
	Namespaces []string
}

// several says whether objects of several namespaces can be among the answers.
func (s Scope) several() bool { return s.AllNamespaces || len(s.Namespaces) > 1 }

// ListOptions are what PrintList must know of the question.
type ListOptions struct {
	Scope
	// SingleItem means that one object was asked for by name: documents and
	// templates see it bare, not in a List.
	SingleItem bool
	// IgnoreNotFound is --ignore-not-found: nothing found, nothing said.
	IgnoreNotFound bool
	// Failed means that a part of the question has no answer, and that the
	// caller says why.
	Failed bool
	// Terminal means that Out is a terminal: text is escaped.
	Terminal bool
	// Warn gets warnings about the answer; nil is for whom it does not matter.
	Warn func(message string)
	// Warnings, where not nil, are what a List as JSON, YAML or KYAML has in a member
	// beside its items. They are read once Warn has had its own.
	Warnings *[]string
}

// PrintList prints groups, in the order of the arguments they answer, to
// streams.Out as `kubectl get` prints the same objects. Notices go to
// streams.ErrOut. Where Out fails the error is Out's own.
func (f *Flags) PrintList(streams genericiooptions.IOStreams, groups []Group, o ListOptions) error {
	out, err := f.resolve()
	if err != nil {
		return err
	}
	groups, err = f.arrange(groups, out.format == table, o.Warn)
	if err != nil {
		return err
	}
	return display.Print(streams.Out, o.Terminal, func(w *bufio.Writer) error {
		if out.format != table {
			return f.printObjects(w, out, groups, o)
		}
		wrote, err := f.printTables(w, out, groups, o)
		if err == nil && !wrote && !o.IgnoreNotFound && !o.Failed {
			notice(streams.ErrOut, "%s", nothingFound(groups, o.Scope))
		}
		return err
	})
}

// arrange sorts and cuts. A table sorts each type for itself, a document all
// objects together.
func (f *Flags) arrange(groups []Group, perType bool, warn func(string)) ([]Group, error) {
	sorter, err := f.Sorter()
	if err != nil {
		return nil, err
	}
	if sorter.Active() {
		groups = merged(groups, func(a, b cache.Target) bool { return !perType || a.TableResource() == b.TableResource() })
		for i := range groups {
			if groups[i].Rows, err = sorter.Sort(groups[i].Rows); err != nil {
				return nil, err
			}
		}
		for _, path := range sorter.Unfound() {
			if warn != nil {
				warn(fmt.Sprintf("couldn't find any field with path %q in the list of objects: not sorted by it", path))
			}
		}
	}
	return limited(groups, f.Limit), nil
}

// merged joins neighbours that belong together.
func merged(groups []Group, together func(a, b cache.Target) bool) []Group {
	var joined []Group
	for _, group := range groups {
		if n := len(joined); n > 0 && together(joined[n-1].Target, group.Target) {
			last := &joined[n-1]
			last.Rows = append(last.Rows[:len(last.Rows):len(last.Rows)], group.Rows...)
			continue
		}
		joined = append(joined, group)
	}
	return joined
}

// limited keeps the first rows of all groups together; 0 keeps all.
func limited(groups []Group, limit int) []Group {
	if limit <= 0 {
		return groups
	}
	kept := make([]Group, len(groups))
	for i, group := range groups {
		n := min(limit, len(group.Rows))
		kept[i] = Group{Target: group.Target, Rows: group.Rows[:n]}
		limit -= n
	}
	return kept
}

// notice writes a line that is not the answer: it is not worth failing for.
func notice(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format+"\n", args...)
}

// nothingFound is kubectl's notice for an empty table.
func nothingFound(groups []Group, scope Scope) string {
	namespaced := !scope.AllNamespaces
	for _, group := range groups {
		namespaced = namespaced && group.Target.Namespaced
	}
	switch {
	case !namespaced:
		return "No resources found"
	case len(scope.Namespaces) > 1:
		return fmt.Sprintf("No resources found in %s namespaces.", strings.Join(scope.Namespaces, ", "))
	}
	return fmt.Sprintf("No resources found in %s namespace.", strings.Join(scope.Namespaces, ""))
}
