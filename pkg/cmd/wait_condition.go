package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// othersWithin is how long a wait that ends since one type was refused may take to list
// the others, to say what they have.
const othersWithin = time.Second

// waiting feeds a tally from a stream until the tally is met.
type waiting struct {
	question    *question.Question
	queue       *informer.Queue
	connections *question.Connections
	tally       *match.Tally
	// expected are those of the Targets that must have their objects.
	expected []cache.Target
	// hints are about the conditions that nobody has.
	hints conditionHints
	// replay, where set, gives the events of a record in place of the queue.
	replay *replay
	// once asks when every Target has synced, and never again.
	once bool

	filters map[cache.Target]*informer.Filter
	// answers is how often it has been asked whether the tally is met.
	answers int
	// exceeded is that it is not known whether an object belongs: nor is, then,
	// whether the wait is over.
	exceeded error
}

// begin has the tally know who is waited for by name.
func (w *waiting) begin(ctx context.Context) {
	w.filters = w.question.Filters(ctx, func(err error) { w.exceeded = cmp.Or(w.exceeded, err) })
	for _, target := range w.expected {
		w.tally.Expect(target, w.question.Narrowed() || target.LabelSelector != "" || target.FieldSelector != "")
	}
}

// until returns when the tally is met, or why it will not be.
func (w *waiting) until(ctx context.Context) error {
	w.begin(ctx)
	for {
		event, ok, err := w.next(ctx)
		switch {
		case err != nil:
			return err
		case !ok:
			return ctx.Err() // by which the informers have ended
		case event.Type == cache.Ended:
			// A Target that cannot be read leaves the question open for ever.
			return w.ended(ctx, event)
		}
		changed, err := w.take(ctx, event)
		if err != nil {
			return err
		}
		if failed := w.tally.Failed(); failed != nil {
			return failed
		}
		if !changed || !w.connections.Settled() {
			continue
		}
		w.answers++
		w.hints.give(w.question.Streams.Console, w.tally)
		if w.tally.Met() {
			return nil
		}
		if lost := w.tally.Lost(); lost != nil {
			return fmt.Errorf("%s %q%s was deleted while waiting for the condition", w.resourceOf(event.Target), lost.Name, event.Target.InContext())
		}
		if w.once {
			return process.NewTimedOut(process.ErrNotMet, w.tally.Summary())
		}
	}
}

// next returns the next event, and ok false at the end of all.
func (w *waiting) next(ctx context.Context) (event cache.Event, ok bool, err error) {
	if w.replay != nil {
		return w.replayed(ctx)
	}
	return question.NextOrElapsed(ctx, w.queue, w.filters, w.tally.Next())
}

// take takes an event of the stream, and says whether the answer may be another.
func (w *waiting) take(ctx context.Context, event cache.Event) (changed bool, err error) {
	if event.Row == nil && event.Type != cache.Reconsider && event.Type != cache.Elapsed {
		w.connections.See(event)
		return true, nil
	}
	events := w.question.Selects(event, w.filters)
	if w.exceeded != nil {
		return false, w.exceeded
	}
	if event.Type == cache.Elapsed {
		if err := w.tally.Pass(ctx); err != nil {
			return false, err
		}
	}
	for _, event := range events {
		if err := w.count(ctx, event); err != nil {
			return false, err
		}
	}
	return event.Type == cache.Elapsed || len(events) > 0, nil
}

// ended is why a wait ends with a Target that cannot be read.
func (w *waiting) ended(ctx context.Context, event cache.Event) error {
	if len(w.question.Subjects) == 1 || !slices.Contains(w.question.Targets(), event.Target) {
		return event.Err
	}
	w.drop(event)
	return w.sayOthers(ctx, event.Err)
}

// refused is ended for what was refused before anything could be asked.
func (w *waiting) refused(ctx context.Context, errs []error) error {
	w.begin(ctx)
	return w.sayOthers(ctx, errs...)
}

// sayOthers ends a wait that some types were refused to: it says so at once, and then
// what the others have, whose lists may be on their way.
func (w *waiting) sayOthers(ctx context.Context, refused ...error) error {
	console := w.question.Streams.Console
	for _, err := range refused {
		console.Ended(err)
	}
	limited, cancel := context.WithTimeout(ctx, othersWithin)
	defer cancel()
	for !w.connections.Settled() {
		event, ok, err := w.queue.Next(limited)
		if err != nil || !ok {
			break
		}
		if event.Type == cache.Ended {
			console.Ended(event.Err)
			refused = append(refused, event.Err)
			w.drop(event)
			continue
		}
		if _, err := w.take(limited, event); err != nil {
			break
		}
	}
	if len(w.connections.Ended) < len(w.question.Subjects) {
		console.Say("what the others have: %s", w.progress())
	}
	return process.Reported(errors.Join(refused...))
}

// drop forgets what a Target stands for that has ended.
func (w *waiting) drop(event cache.Event) {
	w.connections.See(event)
	w.tally.Forget(event.Target)
}

// progress says how far the wait has got.
func (w *waiting) progress() string {
	return cmp.Or(incomplete(w.connections.Unsynced()), w.tally.Summary())
}

// incomplete says of which types the list is not complete; empty is of none.
func incomplete(targets []cache.Target) string {
	var types []string
	for _, target := range targets {
		if resource := target.Type(); !slices.Contains(types, resource) {
			types = append(types, resource)
		}
	}
	if len(types) == 0 {
		return ""
	}
	return fmt.Sprintf("the list of %s is not complete", strings.Join(types, ", "))
}

func (w *waiting) count(ctx context.Context, event cache.Event) error {
	var err error
	switch {
	case event.Type == cache.Deleted && event.Reason == cache.NoLongerMatches:
		w.tally.Leave(event.Row)
	case event.Type == cache.Deleted:
		err = w.tally.Delete(ctx, event.Row)
	default:
		err = w.tally.Upsert(ctx, event.Row, event.Old)
	}
	if err != nil && errors.Is(err, ctx.Err()) {
		return ctx.Err()
	}
	return err
}

func (w *waiting) resourceOf(t cache.Target) string { return t.Resource.GroupResource().String() }

const conditionKind = "condition"

// conditionName is what can be the name of a condition.
var conditionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/-]*$`)

// noCondition is the error of a text that is no condition.
type noCondition struct {
	error
	text string
}

// Hint says what was meant.
func (e noCondition) Hint() string {
	if meant := meantCondition(e.text); meant != "" {
		return "hint: " + meant
	}
	return ""
}

// withMeantCondition lets the error of a condition that is none say what was meant.
func withMeantCondition(err error) error {
	var unknown *match.UnknownConditionError
	if errors.As(err, &unknown) {
		return noCondition{err, unknown.Text}
	}
	return err
}

// meantCondition says what was meant by a text that is no condition; empty is that
// nobody knows.
func meantCondition(text string) string {
	meant := index.Near(text, []string{"create", "delete", "ready", "rollout"})
	kind, rest, given := strings.Cut(text, "=")
	if before, after, colon := strings.Cut(text, ":"); colon && len(before) < len(kind) {
		kind, rest, given = before, after, true
	}
	switch kinds := index.Near(kind, []string{conditionKind, "jsonpath", "cel"}); {
	case given && kind == "condition!":
		meant = []string{"condition=" + rest + "!=True"}
	case given && len(kinds) > 0:
		meant = []string{kinds[0] + "=" + rest}
	case given && len(kind) > 2 && strings.HasPrefix(conditionKind, kind):
		meant = []string{"condition=" + rest}
	case given && slices.Contains([]string{"true", "false", "unknown"}, strings.ToLower(rest)) && conditionName.MatchString(kind):
		meant = []string{"condition=" + text}
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "."):
		meant = []string{"jsonpath=" + text}
	case len(kinds) > 0:
		meant = []string{kinds[0] + "=…"}
	// Conditions begin with a capital letter, our own words with a small one.
	case conditionName.MatchString(text) && (len(meant) == 0 || strings.ToLower(text) != text):
		meant = append([]string{"condition=" + text}, meant...)
	}
	return didYouMean(meant)
}

func didYouMean(meant []string) string {
	if len(meant) == 0 {
		return ""
	}
	for i, one := range meant {
		meant[i] = display.Shorten(one, maxQuoted)
	}
	return "did you mean " + strings.Join(meant, " or ") + "?"
}

// conditionHints say which conditions are misspelt: the wait may last for ever, or,
// for the opposite, or for --fail-for, not be what it seems to be.
type conditionHints struct{ given bool }

// give says so once all objects are listed.
func (h *conditionHints) give(console *process.Console, tally *match.Tally) {
	if h.given {
		return
	}
	h.given = true
	asked, present := tally.UnknownConditions()
	for _, name := range asked {
		near := index.Near(name, present)
		for i := range near {
			near[i] = "condition=" + near[i]
		}
		if meant := didYouMean(near); meant != "" {
			console.SayOnce(fmt.Sprintf("hint: no object has a condition %s; %s", question.Quoted(name), meant))
		}
	}
}
