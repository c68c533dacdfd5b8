package question

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/completion"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// fromFlag is the value of --from: with it the connection leads to a dump.
type fromFlag struct {
	connection *Connection
	cmd        *cobra.Command
}

// AddFromFlag adds --from.
func (f *ResourceFlags) AddFromFlag(cmd *cobra.Command) {
	cmd.Flags().Var(fromFlag{f.Connection, cmd}, "from",
		"Answer from manifests or a saved dump instead of a cluster: files, directories with all below them, or - for stdin. May be given several times, with list and query. No kubeconfig is read; without -n all namespaces are meant.")
	completion.Flag(cmd, "from", completion.File)
}

// Set adds a path. The same path again, which is what completion makes of every
// flag, adds nothing.
func (f fromFlag) Set(path string) error {
	if path == "" {
		return errors.New("a file, a directory or - is needed")
	}
	if d := f.connection.saved(f.cmd); !slices.Contains(d.paths, path) {
		d.paths = append(d.paths, path)
	}
	return nil
}

// String is what help shows as the default: nothing.
func (f fromFlag) String() string {
	if f.connection == nil || f.connection.Dump == nil {
		return ""
	}
	return strings.Join(f.connection.Dump.paths, ",")
}

// Type is how help calls a value.
func (fromFlag) Type() string { return "path" }

// AddDumpFlags adds what only counts with --from.
func (c *Connection) AddDumpFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&c.asOf, "now",
		"With --from: the time from which ages count, and that of now and age() in --where, in RFC 3339; or the word now. Without it that is the newest time in the dump, which is about when it was taken.")
	flags.BoolVar(&c.ignoreBroken, "ignore-broken", false,
		"With --from: exit with 0 even if a document that may have held an answer could not be read. A warning names it all the same.")
	completion.Flag(cmd, "now", completion.OneOf("now"))
}

// validate says why a command cannot be answered from the dump; nil where there is
// no dump, too, and none of the flags that need one.
func (s *savedDump) validate(cmd *cobra.Command) error {
	for _, name := range []string{"at", "speed"} {
		if cmd.Flags().Changed(name) && (s == nil || s.record == nil) {
			return fmt.Errorf("--%s can only be used with --replay", name)
		}
	}
	if s == nil {
		for _, name := range []string{"now", "ignore-broken"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s can only be used with --from", name)
			}
		}
		return nil
	}
	// These are false and none for a command that has no such flag.
	watch, _ := cmd.Flags().GetBool("watch")
	watchOnly, _ := cmd.Flags().GetBool("watch-only")
	if s.record != nil {
		return s.record.validate(cmd, watch || cmd.Name() == "list" && watchOnly)
	}
	files, _ := cmd.Flags().GetStringSlice("filename")
	fromStdin := slices.Contains(s.paths, "-")
	switch {
	case cmd.Name() == "tail" || cmd.Name() == "wait":
		return fmt.Errorf("%s cannot be used with --from: a dump does not change; list and query answer from it", cmd.Name())
	case watch || watchOnly:
		return errors.New("--watch cannot be used with --from: a dump does not change")
	case fromStdin && cmd.Name() == "query":
		return errors.New("--from - cannot be used with query, which reads its questions from stdin")
	case fromStdin && slices.Contains(files, "-"):
		return errors.New("--from - cannot be used with --filename -: stdin can be read only once")
	}
	return nil
}

// resolver turns resource arguments into Targets, of a cluster or of a dump.
type resolver interface {
	Resolve(context.Context, resolve.Request) (resolve.Result, error)
	// Refresh makes the next Resolve ask for the types anew.
	Refresh()
}

// lister makes ListerWatchers, over a cluster or over a dump.
type lister interface {
	ListerWatcher(t cache.Target, r cache.Representation, follow bool) (guard.Source, error)
}

// savedDump is the dump that --from names. It is read when something is asked of
// it, and stands where the resolver and the client of a cluster stand.
type savedDump struct {
	paths []string
	// record, where set, is what --replay names: the dump is what it had at a time.
	record     *SavedRecord
	stdin      io.Reader
	connection *Connection

	reading  sync.Once
	dump     *dump.Dump
	resolver *resolve.Resolver
	err      error
	// broken are the documents that could not be read.
	broken brokenDocuments
}

// filledReader knows whether anything but white space was read. A producer that has
// failed is not an empty cluster.
type filledReader struct {
	io.Reader
	filled bool
}

// Read reads.
func (r *filledReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.filled = r.filled || len(bytes.TrimSpace(p[:n])) > 0
	return n, err
}

// Open reads the dump once. What is wrong with some of it is reported at once, and
// does not keep the rest from being answered.
func (s *savedDump) Open(ctx context.Context) (*dump.Dump, error) {
	s.reading.Do(func() {
		stdin := &filledReader{Reader: s.stdin}
		s.dump, s.err = s.read(ctx, stdin)
		if s.dump == nil {
			return
		}
		if s.readsStdin() && !stdin.filled {
			s.dump, s.err = nil, errors.New("stdin is empty: what should have written to it may have failed")
			return
		}
		for _, fault := range s.broken.take(s.err) {
			s.connection.Console.Warn(fault.Error())
		}
		s.err = nil
		for _, warning := range s.dump.Warnings() {
			s.connection.Console.Warn(warning)
		}
		s.resolver = resolve.New(s.dump.Getter())
	})
	return s.dump, s.err
}

func (s *savedDump) read(ctx context.Context, stdin io.Reader) (*dump.Dump, error) {
	if s.record != nil {
		return s.record.read(ctx, stdin)
	}
	return dump.Read(ctx, s.paths, stdin)
}

func (s *savedDump) readsStdin() bool {
	return slices.Contains(s.paths, "-") || s.record != nil && s.record.path == "-"
}

// Resolve resolves against the types of the dump. There is no context whose
// namespace could be meant: without -n all are.
func (s *savedDump) Resolve(ctx context.Context, request resolve.Request) (resolve.Result, error) {
	saved, err := s.Open(ctx)
	if err != nil {
		return resolve.Result{}, err
	}
	if s.record != nil {
		request = s.record.complete(request, saved)
	}
	resolved, err := s.resolver.Resolve(ctx, request)
	if slices.Equal(resolved.Namespaces, []string{dump.AnyNamespace}) {
		resolved.Namespaces = nil
	}
	for _, targets := range [][]cache.Target{resolved.Targets, resolved.Visits} {
		for i := range targets {
			if targets[i].Namespace == dump.AnyNamespace {
				targets[i].Namespace = ""
			}
			targets[i].Verbs.Watch = s.record != nil && s.record.plays
		}
	}
	resolved.Warnings = append(resolved.Warnings, otherVersions(saved, resolved.Targets)...)
	return resolved, err
}

// Refresh does nothing: a dump has the types that it has.
func (s *savedDump) Refresh() {}

// ListerWatcher lists objects of the dump. It is for Targets that Resolve has found.
func (s *savedDump) ListerWatcher(t cache.Target, r cache.Representation, _ bool) (guard.Source, error) {
	saved, err := s.Open(context.Background())
	if err != nil {
		return nil, err
	}
	s.broken.ask(t)
	return saved.ListerWatcher(t, r, s.connection.Now()), nil
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

// asOf is the value of --now: a time, or the word now.
type asOf struct {
	time.Time
	present bool
}

// Set reads a time. The last that is given counts.
func (a *asOf) Set(text string) error {
	if text == "now" {
		*a = asOf{present: true}
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return errors.New("a time in RFC 3339, such as 2006-01-02T15:04:05Z, or the word now is needed")
	}
	*a = asOf{Time: t}
	return nil
}

// String is what help shows as the default: nothing.
func (a *asOf) String() string {
	switch {
	case a.present:
		return "now"
	case a.IsZero():
		return ""
	}
	return a.Format(time.RFC3339)
}

// Type is how help calls a value.
func (*asOf) Type() string { return "time" }

// Now is the time as of which questions are answered: the present, and of a dump the
// newest time in it where --now names none. That is known once the dump has been read.
func (c *Connection) Now() time.Time {
	switch {
	case c.Dump != nil && c.Dump.record != nil && c.Dump.record.plays:
		return c.Dump.record.clock()
	case c.Dump == nil || c.asOf.present:
	case !c.asOf.IsZero():
		return c.asOf.Time
	case c.Dump.dump != nil && !c.Dump.dump.NewestTime().IsZero():
		return c.Dump.dump.NewestTime()
	}
	return time.Now()
}

// brokenDocuments are those of a dump that could not be read, and what was asked of
// the dump: who asks for Services misses no Pod.
type brokenDocuments struct {
	all []error

	mutex sync.Mutex
	asked []cache.Target
}

// take takes the errors of a dump that was read, and returns each.
func (b *brokenDocuments) take(err error) []error {
	if err != nil {
		b.all = process.Flatten(err)
	}
	return b.all
}

// ask notes that a Target is listed.
func (b *brokenDocuments) ask(t cache.Target) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.asked = append(b.asked, t)
}

// missed are the documents that may have held an object that was asked for.
func (b *brokenDocuments) missed() []error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var missed []error
	for _, err := range b.all {
		var document *dump.DocumentError
		mayHold := func(t cache.Target) bool { return !errors.As(err, &document) || document.MayHoldOneOf(t) }
		if slices.ContainsFunc(b.asked, mayHold) {
			missed = append(missed, err)
		}
	}
	return missed
}

// withBroken adds to how a command has ended that objects may be missing from its
// answer.
func (s *savedDump) withBroken(err error) error {
	if s == nil || s.connection.ignoreBroken {
		return err
	}
	missed := s.broken.missed()
	if len(missed) == 0 {
		return err
	}
	if errors.Is(err, process.ErrNothingMatched) {
		err = nil // nobody knows
	}
	return errors.Join(err, fmt.Errorf(
		"%d of the documents that could not be read may hold objects that were asked for; --ignore-broken makes that no error", len(missed)))
}
