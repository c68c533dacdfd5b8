package cmd

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/state"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// keptPods are pods as their state is looked up by their type.
var keptPods = cache.Target{
	Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Kind:     schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespaced: true,
}

// keptRun is a stream of pods that keeps a state.
type keptRun struct {
	*testing.T
	path string
	*stream
}

// newKeptRun is a run over the state at a path.
func newKeptRun(t *testing.T, path string, configure func(*tailOptions)) *keptRun {
	t.Helper()
	everything, err := match.DefaultCostLimit.Compile(match.ObjectAndOld)
	if err != nil {
		t.Fatal(err)
	}
	streams := process.Streams{IOStreams: genericiooptions.IOStreams{ErrOut: &strings.Builder{}}}.Owned()
	o := &tailOptions{print: printers.NewFlags(), streams: streams}
	configure(o)
	o.resources = &question.ResourceOptions{Connection: &question.Connection{}, Where: everything}
	q := withDependencies(&question.Question{ResourceOptions: o.resources, Subjects: []question.Subject{{Target: keptPods}}})
	s := &stream{tailOptions: o, question: q, queue: informer.NewQueue(0), costs: &question.CostReport{}}
	file, err := state.Open(path, state.Question{Targets: []cache.Target{keptPods}})
	if err != nil {
		t.Fatal(err)
	}
	s.keeper = &stateKeeper{file: file, forms: map[cache.Target]cache.Representation{keptPods: cache.Metadata}}
	s.keeper.journal = state.NewJournal(file, func(err error) { t.Error(err) })
	return &keptRun{t, path, s}
}

// event pushes what an informer reports.
func (k *keptRun) event(kind cache.EventType, name, version string, initial bool) {
	row := &cache.Row{}
	row.APIVersion, row.Kind, row.Name, row.UID, row.ResourceVersion = "v1", "Pod", name, types.UID("of "+name), version
	event := cache.Event{Type: kind, Target: keptPods, Row: row, Initial: initial}
	if kind == cache.Modified {
		event.Old = &cache.Row{}
	}
	k.queue.Push(event)
}

// play runs the stream over what was pushed, and closes the state.
func (k *keptRun) play(emit func([]printers.PreparedEvent) error) error {
	k.queue.Close()
	return errors.Join(k.run(context.Background(), emit), k.keeper.close())
}

// kept is what the state has.
func (k *keptRun) kept() (lines []string) {
	k.Helper()
	file, err := state.Open(k.path, state.Question{Targets: []cache.Target{keptPods}})
	if err != nil {
		k.Fatal(err)
	}
	defer file.Close()
	for _, object := range file.Section(keptPods).Earlier().Objects {
		line := object.Name + " " + object.ResourceVersion
		if object.Unconfirmed {
			line += " unconfirmed"
		}
		lines = append(lines, line)
	}
	if file.Section(keptPods).Earlier().Complete {
		lines = append(lines, "complete")
	}
	return lines
}

func (k *keptRun) expect(want ...string) {
	k.Helper()
	if got := k.kept(); !slices.Equal(got, want) {
		k.Errorf("kept is %q, want %q", got, want)
	}
}

// printed is an emit that reports.
func (k *keptRun) printed(names *[]string) func([]printers.PreparedEvent) error {
	return func(events []printers.PreparedEvent) error {
		for _, event := range events {
			*names = append(*names, event.Row.Name)
		}
		return nil
	}
}

func TestWhatIsReportedOrNotAskedForIsKept(t *testing.T) {
	var names []string
	k := newKeptRun(t, filepath.Join(t.TempDir(), "state"), func(o *tailOptions) { o.events = []cache.EventType{cache.Modified} })
	k.event(cache.Added, "a", "1", true)
	k.event(cache.Added, "b", "1", true)
	k.queue.Push(cache.Event{Type: cache.Synced, Target: keptPods})
	k.event(cache.Modified, "a", "2", false)
	k.event(cache.Deleted, "b", "3", false)
	if err := k.play(k.printed(&names)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names, []string{"a"}) {
		t.Errorf("reported was %q", names)
	}
	k.expect("a 2", "complete")
}

// What cannot be printed, since nobody reads any more, is not kept: but that it was
// about to be is.
func TestWhatCouldNotBeReportedIsReportedByTheNextRun(t *testing.T) {
	broken := errors.New("broken")
	k := newKeptRun(t, filepath.Join(t.TempDir(), "state"), func(*tailOptions) {})
	k.event(cache.Added, "a", "1", true)
	if err := k.play(func([]printers.PreparedEvent) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	k.expect("a 1 unconfirmed")
}

func TestEventsAfterTheLastOfMaxEventsAreNotKept(t *testing.T) {
	var names []string
	k := newKeptRun(t, filepath.Join(t.TempDir(), "state"), func(o *tailOptions) { o.maxEvents, o.watchOnly = 1, true })
	k.event(cache.Added, "before", "1", true)
	k.event(cache.Added, "a", "1", false)
	k.event(cache.Added, "b", "1", false)
	if err := k.play(k.printed(&names)); !errors.Is(err, process.ErrDone) {
		t.Errorf("got %v", err)
	}
	k.expect("a 1", "before 1")
}

// A COMMAND has yet to be run for an event: a later one that is not asked for does not
// take its place.
func TestWhatIsNotAskedForDoesNotHideWhatIsNotHandled(t *testing.T) {
	k := newKeptRun(t, filepath.Join(t.TempDir(), "state"), func(o *tailOptions) { o.events = []cache.EventType{cache.Added} })
	k.owes = func(object cache.ObjectKey) bool { return object.Name == "a" }
	k.event(cache.Added, "a", "1", false)
	k.event(cache.Added, "b", "1", false)
	k.event(cache.Modified, "a", "2", false)
	k.event(cache.Modified, "b", "2", false)
	handle := func(events []printers.PreparedEvent) error {
		for _, event := range events {
			if event.Row.Name == "b" {
				k.keeper.handled(event.Event)
			}
		}
		return nil
	}
	if err := k.play(handle); err != nil {
		t.Fatal(err)
	}
	k.expect("a 1 unconfirmed", "b 1") // of b, version 2 is compared with 1 by the next run
}

func TestAStateThatCannotBeComparedWithIsRefused(t *testing.T) {
	var names []string
	path := filepath.Join(t.TempDir(), "state")
	k := newKeptRun(t, path, func(*tailOptions) {})
	k.event(cache.Added, "a", "1", true)
	if err := k.play(k.printed(&names)); err != nil {
		t.Fatal(err)
	}
	k = newKeptRun(t, path, func(o *tailOptions) { o.comparing = true })
	defer k.keeper.close()
	k.keeper.compared = k.comparedForm()
	if _, err := k.keeper.Resume(keptPods, cache.Whole); err == nil || !strings.Contains(err.Error(), "has no whole objects of pods") {
		t.Errorf("got %v", err)
	}
}
