package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// resolver turns resource arguments into Targets, of a cluster or of a dump.
type resolver interface {
	Resolve(context.Context, resolve.Request) (resolve.Result, error)
	// Refresh makes the next Resolve ask for the types anew.
	Refresh()
}

// lister makes ListerWatchers, over a cluster or over a dump.
type lister interface {
	ListerWatcher(cache.Target, cache.Representation) (guard.Source, error)
}

// savedDump is the dump that --from names. It is read when something is asked of
// it, and stands where the resolver and the client of a cluster stand.
type savedDump struct {
	paths   []string
	stdin   io.Reader
	console *console

	reading  sync.Once
	dump     *dump.Dump
	resolver *resolve.Resolver
	err      error
	// faults are what was wrong with documents. They have been told.
	faults error
}

// open reads the dump once. What is wrong with some of it is told at once, and
// does not keep the rest from being answered.
func (s *savedDump) open(ctx context.Context) (*dump.Dump, error) {
	s.reading.Do(func() {
		s.dump, s.err = dump.Read(ctx, s.paths, s.stdin)
		if s.dump == nil {
			return
		}
		s.faults, s.err = s.err, nil
		if s.faults != nil {
			for _, fault := range flatten(s.faults) {
				s.console.say("%s", words(fault))
			}
		}
		for _, warning := range s.dump.Warnings() {
			s.console.warn(warning)
		}
		s.resolver = resolve.New(s.dump.Getter())
	})
	return s.dump, s.err
}

// Resolve resolves against the types of the dump. There is no context whose
// namespace could be meant: without -n all are.
func (s *savedDump) Resolve(ctx context.Context, request resolve.Request) (resolve.Result, error) {
	saved, err := s.open(ctx)
	if err != nil {
		return resolve.Result{}, err
	}
	resolved, err := s.resolver.Resolve(ctx, request)
	if slices.Equal(resolved.Namespaces, []string{dump.AnyNamespace}) {
		resolved.Namespaces = nil
	}
	for i := range resolved.Targets {
		if t := &resolved.Targets[i]; t.Namespace == dump.AnyNamespace {
			t.Namespace = ""
		}
	}
	resolved.Warnings = append(resolved.Warnings, otherVersions(saved, resolved.Targets)...)
	return resolved, err
}

// Refresh does nothing: a dump has the types that it has.
func (s *savedDump) Refresh() {}

// ListerWatcher lists objects of the dump. It is for Targets that Resolve has found.
func (s *savedDump) ListerWatcher(t cache.Target, r cache.Representation) (guard.Source, error) {
	saved, err := s.open(context.Background())
	if err != nil {
		return nil, err
	}
	return saved.ListerWatcher(t, r), nil
}

// otherVersions names the objects that a server would have converted to the
// version asked for, a line each type.
func otherVersions(saved *dump.Dump, targets []cache.Target) []string {
	var lines []string
	for _, t := range targets {
		var others []string
		for _, version := range saved.OtherVersions(t.Kind) {
			other := t.Resource
			other.Version = version
			asked := func(t cache.Target) bool { return t.Resource == other }
			if !slices.ContainsFunc(targets, asked) {
				others = append(others, strings.Join([]string{other.Resource, other.Version, other.Group}, "."))
			}
		}
		line := fmt.Sprintf("only objects of version %s are shown; there are also %s", t.Kind.GroupVersion(), strings.Join(others, ", "))
		if len(others) > 0 && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
