package faults

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/faults/ledger"
)

// lab is where one scenario happens.
type lab struct {
	*testing.T
	*site
	scenario  *scenario
	random    *rand.Rand
	namespace string
	writer    *ledger.Writer
	// types are those that the commands ask for; living those that are to be
	// right in the end.
	types, living []ledger.Type
	watchers      []*watcher
	filled        bool
	// dir is a folder of the scenario's own, args are more arguments of tail, env
	// more variables of its environment, revoke takes back a right: before may set
	// them.
	dir       string
	args, env []string
	revoke    func()
	// api is the server of an aggregated type.
	api      *sampleAPI
	from, to time.Time // of the fault
	final    ledger.Objects
	result   *result
}

func newLab(t *testing.T, s *scenario, on *site, seed uint64) *lab {
	t.Helper()
	l := &lab{
		T: t, site: on, scenario: s, from: time.Now(), random: rand.New(rand.NewPCG(seed, 0)),
		types: []ledger.Type{configMaps, secrets, gauges}, result: newResult(s), dir: t.TempDir(),
	}
	if s.broken != nil && !slices.Contains(l.types, *s.broken) {
		l.types[0] = *s.broken
	}
	for _, one := range l.types {
		if !s.closed || one != *s.broken {
			l.living = append(l.living, one)
		}
	}
	var err error
	if l.namespace, err = on.newNamespace(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.writer = ledger.NewWriter(on.dynamic, l.namespace, rand.New(rand.NewPCG(seed, 1)))
	return l
}

// fill creates what is there before the commands start. The objects called goal
// are those for whose deletion wait waits.
func (l *lab) fill() {
	l.Helper()
	if l.filled {
		return
	}
	l.filled = true
	for _, one := range l.types {
		l.must(l.writer.Create(l.Context(), one, goal, map[string]string{goal: "yes"}))
	}
	for range 20 {
		l.must(l.writer.Random(l.Context(), l.types...))
	}
}

const goal = "goal"

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// start fills the namespace and starts the commands, each on a chain of its own.
func (l *lab) start() {
	l.Helper()
	l.prepare()
	for _, w := range l.watchers {
		w.start()
	}
}

// prepare makes the chains, once.
func (l *lab) prepare() {
	l.Helper()
	if l.watchers != nil {
		return
	}
	l.fill()
	for _, command := range l.scenario.which() {
		l.watchers = append(l.watchers, l.newWatcher(command))
	}
}

// each does something to the chain of each command.
func (l *lab) each(do func(chain)) {
	l.prepare()
	for _, w := range l.watchers {
		do(w.chain)
	}
}

// answer has requests answered by a gateway, on each chain, until it is taken back.
func (l *lab) answer(match faultproxy.Match, handler func(chain) (count int, answer http.Handler)) (heal func()) {
	var all []func()
	l.each(func(c chain) {
		count, answer := handler(c)
		all = append(all, c.gateway.Answer(match, count, answer))
	})
	return func() {
		for _, remove := range all {
			remove()
		}
	}
}

// stay lets a fault last.
func (l *lab) stay(d time.Duration) {
	l.Helper()
	select {
	case <-time.After(d):
	case <-l.Context().Done():
	}
}

// ready waits until all commands that go on have synced.
func (l *lab) ready() {
	l.Helper()
	for _, w := range l.watchers {
		if _, ends := l.scenario.ends[w.command]; ends {
			continue
		}
		if err := eventually(l.Context(), patience, func() error { return orEnded(w, w.synced()) }); err != nil || w.hasEnded() {
			l.result.broke(cacheIsServer)
			l.Fatalf("%s is not ready: %v%s", w.command, err, w.said())
		}
	}
}

// orEnded is nil when there is nothing to wait for any more.
func orEnded(w *watcher, err error) error {
	if w.hasEnded() {
		return nil
	}
	return err
}

// breaking makes the fault, while objects change.
func (l *lab) breaking(fault func(*lab)) {
	l.Helper()
	ctx, cancel := context.WithCancel(l.Context())
	var background sync.WaitGroup
	if !l.scenario.calm {
		background.Go(func() { l.writes(ctx) })
	}
	l.begin()
	if l.scenario.broken != nil && !l.scenario.calm {
		background.Go(func() { l.othersGoOn(ctx) })
	}
	fault(l)
	l.to = time.Now()
	cancel()
	background.Wait()
}

// begin says that the fault begins now.
func (l *lab) begin() { l.from = time.Now() }

// starting starts the commands into the fault.
func (l *lab) starting() {
	l.Helper()
	l.prepare()
	l.breaking(func(*lab) {
		var background sync.WaitGroup
		background.Go(l.start)
		l.scenario.fault(l)
		background.Wait()
	})
	l.ready()
}

// writes changes objects ten times a second. What fails, since the server is
// away, is not accepted, and does not count.
func (l *lab) writes(ctx context.Context) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = l.writer.Random(ctx, l.types...)
		case <-ctx.Done():
			return
		}
	}
}

// othersGoOn checks that the types beside the broken one are told while it is
// broken.
func (l *lab) othersGoOn(ctx context.Context) {
	select {
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
		return
	}
	var keys []ledger.Key
	for _, one := range l.types {
		if one != *l.scenario.broken {
			l.create(one, "meanwhile")
			keys = append(keys, l.writer.Key(one, "meanwhile"))
		}
	}
	for _, w := range l.watchers {
		if _, ends := l.scenario.ends[w.command]; ends || (w.command != tail && w.command != handler) {
			continue
		}
		if err := eventually(l.Context(), soon, func() error { return w.tells(keys) }); err != nil {
			l.broke(cacheIsServer, w, "a type that is not broken stands still: %v", err)
		}
	}
}

// name is one that no other object has.
func (l *lab) name() string { return fmt.Sprintf("more-%d", l.writer.Accepted()) }

// create creates an object, and does not give up while the server starts.
func (l *lab) create(one ledger.Type, name string) {
	l.Helper()
	err := eventually(l.Context(), patience, func() error { return l.writer.Create(l.Context(), one, name, nil) })
	if err != nil {
		l.Error(err)
	}
}

// recover waits until all commands know what the server has, and notes for how
// long it took since the fault was over.
func (l *lab) recover() {
	l.Helper()
	var keys []ledger.Key
	for _, one := range l.living {
		name := cmp.Or(l.scenario.only, "last")
		if name == l.scenario.only {
			l.must(l.writer.Change(l.Context(), one, name))
		} else {
			l.create(one, name)
		}
		keys = append(keys, l.writer.Key(one, name))
	}
	for _, w := range l.watchers {
		if _, ends := l.scenario.ends[w.command]; ends {
			continue
		}
		if err := eventually(l.Context(), lasts(patience, 3*patience), func() error { return w.knows(keys) }); err != nil {
			l.broke(cacheIsServer, w, "%v", err)
		}
	}
	l.result.recovery = time.Since(l.to)
}

// finish ends all commands: wait by what it waits for, the others by SIGINT.
func (l *lab) finish() {
	l.Helper()
	for _, one := range l.living {
		l.must(l.writer.Delete(l.Context(), one, goal))
	}
	var err error
	if l.final, err = l.writer.List(l.Context(), l.living...); err != nil {
		l.Fatal(err)
	}
	if wrong := l.writer.Disagrees(l.final, l.living...); len(wrong) > 0 && !slices.Contains(l.scenario.spare, risingVersions) {
		l.Errorf("the list that is to be the oracle is not what was written:\n\t%s", ledger.Join(wrong))
	}
	if l.scenario.only != "" {
		maps.DeleteFunc(l.final, func(key ledger.Key, _ ledger.Version) bool { return key.Name != l.scenario.only })
	}
	for _, w := range l.watchers {
		if _, ends := l.scenario.ends[w.command]; ends {
			continue
		}
		if err := eventually(l.Context(), patience, func() error { return w.has(l.final) }); err != nil {
			l.broke(cacheIsServer, w, "%v", err)
		}
		w.finish()
	}
}

// kinds are those of the types that are to be right in the end.
func (l *lab) kinds() (kinds []string) {
	for _, one := range l.living {
		kinds = append(kinds, one.Kind)
	}
	return kinds
}

// broke notes that an invariant does not hold.
func (l *lab) broke(i invariant, w *watcher, format string, args ...any) {
	l.Helper()
	l.result.broke(i)
	l.Errorf("%s %s, %s: %s%s", i, meanings[i], w.command, fmt.Sprintf(format, args...), w.said())
}

// said is what a command has said on stderr, for an error.
func (w *watcher) said() string {
	if w.Stream == nil {
		return ""
	}
	var text strings.Builder
	for _, notice := range w.Noticed() {
		fmt.Fprintf(&text, "\n\t%+6.1fs %s", notice.At.Sub(w.lab.from).Seconds(), notice.Line)
	}
	if text.Len() == 0 {
		return "\n\tstderr is empty"
	}
	return fmt.Sprintf("\n\tstderr, from the beginning of the fault, which took %.1fs:", w.lab.to.Sub(w.lab.from).Seconds()) + text.String()
}
