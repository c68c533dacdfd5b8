package question

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// Connections follows what a stream says of its Targets: which have synced, which
// have ended and why; and puts the transitions of their connections into words.
type Connections struct {
	notices *process.Console
	// endings says that the command goes on when a Target has ended, whose error is
	// therefore reported when it happens, not at the end.
	endings bool

	targets []cache.Target
	synced  map[cache.Target]bool
	Ended   map[cache.Target]error

	mu      sync.Mutex // guards what follows, which the window's timer uses, too
	lost    map[cache.Target]bool
	pending []cache.Event
	window  *time.Timer
}

// NewConnections knows nothing of its Targets yet. Its words go to notices; endings says that
// the command goes on when a Target has ended.
func NewConnections(notices *process.Console, endings bool, targets []cache.Target) *Connections {
	return &Connections{
		notices: notices, endings: endings, targets: targets,
		synced: map[cache.Target]bool{}, Ended: map[cache.Target]error{}, lost: map[cache.Target]bool{},
	}
}

// join adds Targets that have synced already.
func (c *Connections) join(targets []cache.Target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, target := range targets {
		if !slices.Contains(c.targets, target) {
			c.targets = append(c.targets, target)
			c.synced[target] = true
		}
	}
}

// add adds Targets that have yet to sync.
func (c *Connections) add(targets []cache.Target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.targets = append(c.targets, targets...)
}

// back reports that the cluster of Targets answers, which was down for some time.
func (c *Connections) back(targets []cache.Target, down time.Duration) {
	c.notices.Say("connection is back for %s after %s", (&notice{targets: targets}).resources(), roughly(down))
}

// See takes an event that is not of an object; others mean nothing to it.
func (c *Connections) See(event cache.Event) {
	switch event.Type {
	case cache.Synced:
		c.synced[event.Target] = true
	case cache.Ended:
		c.flush()
		c.Ended[event.Target] = event.Err
		c.forget(event.Target)
		if c.endings {
			c.notices.Ended(event.Err)
		}
	case cache.Gone:
		c.forget(event.Target)
		c.notices.Say("the server no longer has the resource type %q%s; looking for it again", event.Target.Resource.GroupResource(), event.Target.InContext())
	case cache.Returned:
		c.notices.Say("the server has the resource type %q again%s", event.Target.Resource.GroupResource(), event.Target.InContext())
	case cache.Retrying, cache.Lost, cache.Connected:
		c.delay(event)
	}
}

// Await reads events until every Target has synced or ended. A queue that closes
// before has been closed by the end of the context.
func (c *Connections) Await(ctx context.Context, queue *informer.Queue) error {
	for !c.Settled() {
		event, ok, err := queue.Next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return ctx.Err()
		}
		c.See(event)
	}
	return nil
}

// Settled says whether every Target has synced or ended.
func (c *Connections) Settled() bool {
	return len(c.Unsynced()) == 0
}

// Unsynced are the Targets of whose first list not all was read.
func (c *Connections) Unsynced() (targets []cache.Target) {
	for _, target := range c.targets {
		if !c.synced[target] && c.Ended[target] == nil {
			targets = append(targets, target)
		}
	}
	return targets
}

// IsLost says whether the connection of a Target is lost, as far as was reported.
func (c *Connections) IsLost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.lost) > 0
}

// Close drops what still waits for its window: the command ends.
func (c *Connections) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = nil
	if c.window != nil {
		c.window.Stop()
	}
}

func (c *Connections) forget(target cache.Target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.lost, target)
}

// delay keeps a transition until its window closes, or all Targets have met it.
func (c *Connections) delay(event cache.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.contradicts(event) {
		c.report()
	}
	c.pending = append(c.pending, event)
	if c.isOfAll() {
		c.report()
		return
	}
	window := lossWindow
	if event.Type == cache.Connected {
		window = returnWindow
	}
	if c.window == nil {
		c.window = time.AfterFunc(window, c.flush)
	} else if window < returnWindow {
		c.window.Reset(window)
	}
}

// contradicts says whether something else waits to be reported of the same Target,
// which has to be reported before.
func (c *Connections) contradicts(event cache.Event) bool {
	return slices.ContainsFunc(c.pending, func(earlier cache.Event) bool {
		return earlier.Target == event.Target && earlier.Type != event.Type
	})
}

// isOfAll says whether what waits leaves no Target to wait for: all that can be
// lost are, or all that were lost are back.
func (c *Connections) isOfAll() bool {
	lost, known := maps.Clone(c.lost), len(c.lost) > 0
	waiting := map[cache.Target]bool{}
	for _, event := range c.pending {
		waiting[event.Target] = true
		if event.Type == cache.Connected {
			delete(lost, event.Target)
		} else {
			lost[event.Target], known = true, true
		}
	}
	live := len(c.targets) - len(c.Ended)
	return known && len(lost) == 0 || len(lost) == live || len(waiting) == live
}

// flush reports what waits.
func (c *Connections) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report()
}

// report reports what waits: equal news of several Targets in one line.
func (c *Connections) report() {
	if c.window != nil {
		c.window.Stop()
		c.window = nil
	}
	var news []*notice
	for _, event := range c.pending {
		n := noticeOf(event, c.lost[event.Target])
		if same := slices.IndexFunc(news, n.isLike); same >= 0 {
			news[same].add(n)
		} else {
			news = append(news, n)
		}
	}
	c.pending = nil
	for _, n := range news {
		c.say(n)
	}
}

// say says one line; whom it concerns is said unless it concerns all of one cluster
// that is asked alone.
func (c *Connections) say(n *notice) {
	whom := ""
	switch n.kind {
	case cache.Retrying:
		c.notices.Say("waiting for %s: %s; trying again", n.resources(), n.words)
		return
	case cache.Lost:
		for _, target := range n.targets {
			c.lost[target] = true
		}
		if len(c.lost) < len(c.targets)-len(c.Ended) || n.isOfContext() {
			whom = " for " + n.resources()
		}
		c.notices.Say("connection lost%s: %s; reconnecting", whom, n.words)
	case cache.Connected:
		for _, target := range n.targets {
			delete(c.lost, target)
		}
		if len(c.lost) > 0 || len(n.targets) < len(c.targets)-len(c.Ended) || n.isOfContext() {
			whom = " for " + n.resources()
		}
		if n.unreported {
			c.notices.Say("connection interrupted%s: back after %s", whom, roughly(n.gap))
			return
		}
		c.notices.Say("connection is back%s after %s", whom, roughly(n.gap))
	}
}

// notice is equal news of some Targets.
type notice struct {
	kind    cache.EventType
	targets []cache.Target
	words   string
	// answered says that the words are a server's answer. How a connection breaks
	// differs by chance; what a server says does not.
	answered bool
	gap      time.Duration
	// unreported says that nobody knows of the loss that has ended.
	unreported bool
}

func noticeOf(event cache.Event, lost bool) *notice {
	n := &notice{kind: event.Type, targets: []cache.Target{event.Target}, gap: event.Gap}
	n.unreported = event.Type == cache.Connected && !lost
	if event.Err != nil {
		n.words = process.Words(event.Err)
		n.answered = errors.As(event.Err, new(apierrors.APIStatus))
	}
	return n
}

// isLike says whether another notice is the same news. What breaks in one cluster has
// nothing to do with what breaks in another.
func (n *notice) isLike(other *notice) bool {
	return n.targets[0].Context == other.targets[0].Context && n.kind == other.kind && n.unreported == other.unreported && n.answered == other.answered && (n.words == other.words || !n.answered)
}

func (n *notice) add(other *notice) {
	n.targets = append(n.targets, other.targets...)
	n.words = other.words // the last is the server's present state
	n.gap = max(n.gap, other.gap)
}

// isOfContext says whether several clusters are asked, and this is news of one.
func (n *notice) isOfContext() bool { return n.targets[0].Context != "" }

// resources names the types, each once, and the context of their cluster.
func (n *notice) resources() string {
	var names []string
	for _, target := range n.targets {
		if name := target.Resource.GroupResource().String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ") + n.targets[0].InContext()
}

// roughly rounds a duration to what a person wants to know of it.
func roughly(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
