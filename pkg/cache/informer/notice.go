package informer

import "github.com/kubectl-informer/kubectl-informer/pkg/cache"

// NoticeKind is what a person should know of connections and Targets.
type NoticeKind int

const (
	// Retrying: the first list of the Target fails and is tried again.
	Retrying NoticeKind = iota
	// Lost: the connection is lost; the caches stay as they are meanwhile.
	Lost
	// Back: all Targets are connected again.
	Back
	// Gone: the server has no such type any more; it is looked for again.
	Gone
	// Returned: the type that was gone is there again.
	Returned
	// Ended: the Target has ended by itself with Err, a *cache.SyncError.
	Ended
)

// Notice is one thing to tell a person, once; the words are the reader's.
type Notice struct {
	Kind   NoticeKind
	Target cache.Target
	Err    error
}

// tell passes a notice on, one at a time.
func (g *Group) tell(n Notice) {
	g.notices.Lock()
	defer g.notices.Unlock()
	g.tellLocked(n)
}

func (g *Group) tellLocked(n Notice) {
	if g.notify != nil {
		g.notify(n)
	}
}

// connection counts the Targets that have lost their connection, by +1 and -1:
// many Targets share one server, and its loss is told once.
func (g *Group) connection(by int, n Notice) {
	g.notices.Lock()
	defer g.notices.Unlock()
	g.lost += by
	if by > 0 && g.lost == 1 || by < 0 && g.lost == 0 {
		g.tellLocked(n)
	}
}

// leave counts a Target that has ended, which may have been the last without a
// connection: n tells those that are left that they have one.
func (g *Group) leave(wasLost bool, n Notice) {
	g.notices.Lock()
	defer g.notices.Unlock()
	g.alive--
	if !wasLost {
		return
	}
	if g.lost--; g.lost == 0 && g.alive > 0 {
		g.tellLocked(n)
	}
}
