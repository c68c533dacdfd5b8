package cmd

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
	"github.com/kubectl-informer/kubectl-informer/pkg/liveview"
	"github.com/kubectl-informer/kubectl-informer/pkg/liveview/terminal"
)

const (
	// frame is the least time between two repaints that changes cause, which makes
	// five a second. A key is answered at once.
	frame = 200 * time.Millisecond
	// idle is the time after which the screen is repainted in any case: ages move.
	idle = time.Second
)

// view keeps a model up to date with the events of all Targets.
type view struct {
	question    *question.Question
	queue       *informer.Queue
	connections *question.Connections
	filters     map[cache.Target]*informer.Filter
	model       *liveview.Model
	// counter stands between the events of objects and the model with --count-by.
	counter *liveview.Counter
	notices *notices
	opened  time.Time
	// synced says that what comes from now on was not there when the view was opened.
	synced bool
	// ended is closed when no Target is followed any more.
	ended <-chan struct{}
}

// sync takes what is there at the start.
func (v *view) sync(ctx context.Context) error {
	for !v.connections.Settled() {
		event, ok, err := question.NextOrElapsed(ctx, v.queue, v.filters, time.Time{})
		if err != nil {
			return err
		}
		if !ok {
			return ctx.Err()
		}
		if err := v.take(event); err != nil {
			return err
		}
	}
	v.flush()
	v.synced = true
	return nil
}

// take takes one event of the queue.
func (v *view) take(event cache.Event) error {
	if event.Row == nil {
		v.connections.See(event)
	}
	if event.Type == cache.Ended && v.synced {
		v.notices.put(process.Words(event.Err)) // which is the error of the command, too
	}
	if err := v.question.Lost(event); err != nil {
		return err
	}
	for _, change := range v.question.Selects(event, v.filters) {
		change.Initial = change.Initial && !v.synced
		if v.counter != nil {
			v.counter.Apply(change)
		} else {
			v.model.Apply(change)
		}
	}
	if v.counter != nil && event.Type == cache.Reconsider {
		v.counter.Reconsider()
	}
	return nil
}

// flush hands counts that have changed to the model.
func (v *view) flush() {
	if v.counter == nil {
		return
	}
	for _, event := range v.counter.Flush(time.Now(), !v.synced) {
		v.model.Apply(event)
	}
}

// drain takes what waits, for as long as keys can wait, and says whether more does.
func (v *view) drain() (more bool, err error) {
	const patience = 50 * time.Millisecond
	for began := time.Now(); time.Since(began) < patience; {
		event, ok := v.queue.Poll()
		if !ok {
			return false, nil
		}
		if err := v.take(event); err != nil {
			return false, err
		}
	}
	return true, nil
}

// run shows the view until a key, or the context, ends it.
func (v *view) run(ctx context.Context, screen *terminal.Terminal) error {
	stops := process.NewStops()
	defer stops.Close()
	timer := time.NewTimer(0) // the first frame is due at once
	defer timer.Stop()
	ready := v.queue.Ready()
	var painted time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.ended:
			return ctx.Err() // why they have ended is the error
		case input, ok := <-screen.Inputs():
			if !ok {
				return process.ErrReaderGone
			}
			if err := v.answer(input, screen, stops); err != nil {
				if errors.Is(err, process.ErrDone) {
					return nil
				}
				return err
			}
			v.paint(screen)
			continue
		case <-stops.Stop():
			if err := v.suspend(screen, stops); err != nil {
				return err
			}
		case <-stops.Resumed():
			if err := screen.Aside(func() {}); err != nil {
				return err
			}
		case <-v.notices.ready:
		case <-ready:
		case <-timer.C:
		}
		more, err := v.step()
		if err != nil {
			return err
		}
		// What comes from now on is shown with the next frame.
		wait := frame - time.Since(painted)
		if ready = nil; wait <= 0 {
			v.paint(screen)
			painted, ready, wait = time.Now(), v.queue.Ready(), v.next()
		}
		if more {
			wait = 0
		}
		timer.Reset(wait)
	}
}

// step takes what has happened, and lets time pass.
func (v *view) step() (more bool, err error) {
	more, err = v.drain()
	if err != nil {
		return more, err
	}
	now := time.Now()
	for _, filter := range v.filters {
		if next := filter.Next(); !next.IsZero() && !next.After(now) {
			if err := v.take(cache.Event{Type: cache.Elapsed, Time: now}); err != nil {
				return more, err
			}
			break
		}
	}
	v.flush()
	return more, nil
}

// next is when the screen is to be repainted at the latest.
func (v *view) next() time.Duration {
	wait := idle
	for _, filter := range v.filters {
		if next := filter.Next(); !next.IsZero() {
			wait = min(wait, time.Until(next))
		}
	}
	return max(wait, frame)
}

func (v *view) paint(screen *terminal.Terminal) {
	now := time.Now()
	if text := v.notices.take(); text != "" {
		v.model.Notice(text, now)
	}
	v.model.Offline(v.connections.IsLost())
	v.model.Tick(now)
	screen.Draw(func(c liveview.Canvas) { v.model.Draw(c, now) })
}

// answer does what a key asks for.
func (v *view) answer(input terminal.Input, screen *terminal.Terminal, stops *process.Stops) error {
	if input.Resized {
		screen.Redraw()
		return nil
	}
	switch v.model.Press(input.Key, time.Now()) {
	case liveview.Quit:
		return process.ErrDone
	case liveview.Interrupt:
		return process.Interrupted{Signal: os.Interrupt}
	case liveview.Suspend:
		return v.suspend(screen, stops)
	case liveview.Redraw:
		screen.Redraw()
	}
	return nil
}

// suspend gives the terminal back and stops the process until the shell lets it go on.
func (v *view) suspend(screen *terminal.Terminal, stops *process.Stops) error {
	return screen.Aside(stops.Suspend)
}

// notices are what is said while the terminal shows the view: the newest line counts.
type notices struct {
	ready chan struct{}
	mu    sync.Mutex
	text  string
}

func newNotices() *notices { return &notices{ready: make(chan struct{}, 1)} }

// painted is how kubectl colours a warning.
var painted = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// put takes text of one line or several, of which the first one says it.
func (n *notices) put(text string) {
	line, _, _ := strings.Cut(strings.TrimSpace(painted.ReplaceAllString(text, "")), "\n")
	n.mu.Lock()
	n.text = display.Escape(line, "")
	n.mu.Unlock()
	select {
	case n.ready <- struct{}{}:
	default:
	}
}

// take returns what is new.
func (n *notices) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := n.text
	n.text = ""
	return text
}
