package cmd

import (
	"fmt"
	"io"
	"sync"
)

// notices says on stderr what people should know while a command runs, a line each.
type notices struct {
	stderr io.Writer

	mu   sync.Mutex
	said map[string]bool
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
