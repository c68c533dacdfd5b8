package handler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var pods = cache.Target{
	Resource:   schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Kind:       schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
	Namespaced: true,
}

// pod makes a row; uid and name are the same unless name has the form name#uid.
func pod(name, resourceVersion string) *cache.Row {
	name, uid, found := strings.Cut(name, "#")
	if !found {
		uid = name
	}
	row := &cache.Row{}
	row.APIVersion, row.Kind = "v1", "Pod"
	row.Name, row.Namespace, row.UID, row.ResourceVersion = name, "ns", types.UID(uid), resourceVersion
	return row
}

// parse reads an event written as `ADDED a 1`, `MODIFIED a#uid 1->2`, with the
// marks `initial` and `NoLongerMatches` after it.
func parse(line string) cache.Event {
	words := strings.Fields(line)
	event := cache.Event{Type: cache.EventType(words[0]), Target: pods}
	if len(words) == 1 {
		return event
	}
	old, now, changed := strings.Cut(words[2], "->")
	if changed {
		event.Old = pod(words[1], old)
	} else {
		now = old
	}
	event.Row = pod(words[1], now)
	event.Initial = slices.Contains(words, "initial")
	if slices.Contains(words, string(cache.NoLongerMatches)) {
		event.Reason = cache.NoLongerMatches
	}
	return event
}

// describe writes an event as parse reads it.
func describe(e cache.Event) string {
	line := fmt.Sprintf("%s %s", e.Type, e.Row.Name)
	if string(e.Row.UID) != e.Row.Name {
		line += "#" + string(e.Row.UID)
	}
	line += " "
	if e.Old != nil {
		line += e.Old.ResourceVersion + "->"
	}
	line += e.Row.ResourceVersion
	if e.Initial {
		line += " initial"
	}
	if e.Reason != "" {
		line += " " + string(e.Reason)
	}
	return line
}

// story is a handler in a bubble of synthetic time, whose command is a fake
// that writes down when it was run with what.
type story struct {
	*testing.T
	h *Handler
	// takes is how long each run takes, unless it is ended before.
	takes time.Duration
	// fails says whether the nth run (from 1) of an event fails.
	fails func(event string, nth int) bool
	// ignores says that a run does not heed its context.
	ignores bool

	// stop ends Run's context, ended holds what Run returned.
	stop  context.CancelFunc
	ended chan error
	begun time.Time

	mu    sync.Mutex
	log   []string
	runs  map[string]int
	now   int
	most  int
	other error // what failing runs fail with, if not with exit code 7
}

// scenario plays a story and checks that Run ends and leaves nothing behind.
func scenario(t *testing.T, o Options, play func(s *story)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &story{T: t, runs: map[string]int{}, ended: make(chan error, 1), begun: time.Now()}
		if o.Parallel == 0 {
			o.Parallel = 1
		}
		o.GivenUp = func(event cache.Event, code int, err error) {
			s.note(fmt.Sprintf("given up %s: %d %v", describe(event), code, err))
		}
		s.h = newHandler(o, s.command)
		ctx, stop := context.WithCancel(t.Context())
		s.stop = stop
		go func() { s.ended <- s.h.Run(ctx) }()
		play(s)
		stop()
		<-s.h.ended
	})
}

func (s *story) command(ctx context.Context, event cache.Event) error {
	line := describe(event)
	s.note(line)
	s.mu.Lock()
	s.runs[line]++
	nth := s.runs[line]
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	if s.ignores {
		time.Sleep(s.takes)
	}
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return &failure{143, context.Cause(ctx)}
	}
	if s.fails == nil || !s.fails(line, nth) {
		return nil
	}
	if s.other != nil {
		return s.other
	}
	return &failure{7, errors.New("exit status 7")}
}

// note writes a line down, with the seconds since the story began.
func (s *story) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf("%v %s", time.Since(s.begun), line))
}

func (s *story) add(lines ...string) {
	for _, line := range lines {
		s.h.Add(parse(line))
	}
	synctest.Wait()
}

// at waits for a moment of the story.
func (s *story) at(d time.Duration) {
	time.Sleep(d - time.Since(s.begun))
	synctest.Wait()
}

// expect checks all that was written down, and forgets it. Where several runs
// go on at once, what happened at one moment is in the order of its words.
func (s *story) expect(want ...string) {
	s.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.log, func(a, b string) int {
		atA, whatA, _ := strings.Cut(a, " ")
		atB, whatB, _ := strings.Cut(b, " ")
		if atA != atB || s.h.parallel == 1 {
			return 0
		}
		return strings.Compare(whatA, whatB)
	})
	if got := strings.Join(s.log, "\n"); got != strings.Join(want, "\n") {
		s.Errorf("got:\n  %s\nwant:\n  %s", strings.ReplaceAll(got, "\n", "\n  "), strings.Join(want, "\n  "))
	}
	s.log = nil
}

// always and first say which runs fail.
func always(string, int) bool      { return true }
func first(_ string, nth int) bool { return nth == 1 }
func only(prefix string) func(string, int) bool {
	return func(event string, _ int) bool { return strings.HasPrefix(event, prefix) }
}
