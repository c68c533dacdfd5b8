package cmd

import (
	"fmt"
	"io"
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// notices says on stderr what happens to connections and Targets, a line each.
type notices struct {
	stderr io.Writer
	// endings says that the command goes on when a Target has ended, and that
	// its error is therefore told when it happens, not at the end.
	endings bool

	mu   sync.Mutex
	said map[string]bool
}

// tell puts a notice into words.
func (n *notices) tell(notice informer.Notice) {
	resource := notice.Target.Resource.GroupResource()
	switch notice.Kind {
	case informer.Retrying:
		n.say("waiting for %s: %s; trying again", resource, words(notice.Err))
	case informer.Lost:
		n.say("connection lost: %s; reconnecting", words(notice.Err))
	case informer.Back:
		n.say("connection is back")
	case informer.Gone:
		n.say("the server no longer has the resource type %q; looking for it again", resource)
	case informer.Returned:
		n.say("the server has the resource type %q again", resource)
	case informer.Ended:
		if n.endings {
			n.ended(notice.Err)
		}
	}
}

// ended says why a Target has ended, once for equal words.
func (n *notices) ended(err error) {
	for _, line := range []string{words(err), hint(err, asked{follows: true})} {
		if line != "" && n.first(line) {
			n.say("%s", line)
		}
	}
}

func (n *notices) first(line string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.said == nil {
		n.said = map[string]bool{}
	}
	again := n.said[line]
	n.said[line] = true
	return !again
}

func (n *notices) say(format string, args ...any) {
	fmt.Fprintf(n.stderr, format+"\n", args...)
}
