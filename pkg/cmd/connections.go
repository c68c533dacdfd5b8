package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// noticeWindow is how long a transition waits for those of other Targets: a server
// is lost to all of them at once, and that is one line.
const noticeWindow = 300 * time.Millisecond

// connections follows what a stream says of its Targets: which have synced, which
// have ended and why; and puts the transitions of their connections into words.
type connections struct {
	notices *notices
	// endings says that the command goes on when a Target has ended, whose error is
	// therefore reported when it happens, not at the end.
	endings bool

	targets []cache.Target
	synced  map[cache.Target]bool
	ended   map[cache.Target]error

	mu      sync.Mutex // guards what follows, which the window's timer uses, too
	lost    map[cache.Target]bool
	pending []cache.Event
	window  *time.Timer
}

func newConnections(notices *notices, endings bool, targets []cache.Target) *connections {
	return &connections{
		notices: notices, endings: endings, targets: targets,
		synced: map[cache.Target]bool{}, ended: map[cache.Target]error{}, lost: map[cache.Target]bool{},
	}
}

// see takes an event that is not of an object; others mean nothing to it.
func (c *connections) see(event cache.Event) {
	switch event.Type {
	case cache.Synced:
		c.synced[event.Target] = true
	case cache.Ended:
		c.ended[event.Target] = event.Err
		c.flush()
		c.forget(event.Target)
		if c.endings {
			c.notices.ended(event.Err)
		}
	case cache.Gone:
		c.forget(event.Target)
		c.notices.say("the server no longer has the resource type %q; looking for it again", event.Target.Resource.GroupResource())
	case cache.Returned:
		c.notices.say("the server has the resource type %q again", event.Target.Resource.GroupResource())
	case cache.Retrying, cache.Lost, cache.Connected:
		c.delay(event)
	}
}

// await reads events until every Target has synced or ended. A queue that closes
// before has been closed by the end of the context.
func (c *connections) await(ctx context.Context, queue *informer.Queue) error {
	for !c.settled() {
		event, ok, err := queue.Next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return ctx.Err()
		}
		c.see(event)
	}
	return nil
}

// settled says whether every Target has synced or ended.
func (c *connections) settled() bool {
	return !slices.ContainsFunc(c.targets, func(t cache.Target) bool { return !c.synced[t] && c.ended[t] == nil })
}

// unsynced are the Targets whose first list is not complete.
func (c *connections) unsynced() (targets []cache.Target) {
	for _, target := range c.targets {
		if !c.synced[target] && c.ended[target] == nil {
			targets = append(targets, target)
		}
	}
	return targets
}

// close reports what still waits for its window.
func (c *connections) close() { c.flush() }

func (c *connections) forget(target cache.Target) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.lost, target)
}

// delay keeps a transition until the window closes.
func (c *connections) delay(event cache.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, event)
	if c.window == nil {
		c.window = time.AfterFunc(noticeWindow, c.flush)
	}
}

// flush reports what waits: equal news of several Targets in one line.
func (c *connections) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.window != nil {
		c.window.Stop()
		c.window = nil
	}
	var news []*notice
	for _, event := range c.pending {
		n := noticeOf(event)
		if same := slices.IndexFunc(news, n.isLike); same >= 0 {
			news[same].add(n)
		} else {
			news = append(news, n)
		}
	}
	c.pending = nil
	for _, n := range news {
		c.report(n)
	}
}

// report says one line; whom it concerns is said unless it concerns all.
func (c *connections) report(n *notice) {
	whom := ""
	switch n.kind {
	case cache.Retrying:
		c.notices.say("waiting for %s: %s; trying again", n.resources(), n.words)
		return
	case cache.Lost:
		for _, target := range n.targets {
			c.lost[target] = true
		}
		if len(c.lost) < len(c.targets)-len(c.ended) {
			whom = " for " + n.resources()
		}
		c.notices.say("connection lost%s: %s; reconnecting", whom, n.words)
	case cache.Connected:
		for _, target := range n.targets {
			delete(c.lost, target)
		}
		if len(c.lost) > 0 || len(n.targets) < len(c.targets)-len(c.ended) {
			whom = " for " + n.resources()
		}
		c.notices.say("connection is back%s after %s", whom, roughly(n.gap))
	}
}

// notice is equal news of some Targets.
type notice struct {
	kind    cache.EventType
	targets []cache.Target
	words   string
	gap     time.Duration
}

func noticeOf(event cache.Event) *notice {
	n := &notice{kind: event.Type, targets: []cache.Target{event.Target}, gap: event.Gap}
	if event.Err != nil {
		n.words = words(event.Err)
	}
	return n
}

func (n *notice) isLike(other *notice) bool { return n.kind == other.kind && n.words == other.words }

func (n *notice) add(other *notice) {
	n.targets = append(n.targets, other.targets...)
	n.gap = max(n.gap, other.gap)
}

// resources names the types, each once.
func (n *notice) resources() string {
	var names []string
	for _, target := range n.targets {
		if name := target.Resource.GroupResource().String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// roughly rounds a duration to what a person wants to know of it.
func roughly(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
