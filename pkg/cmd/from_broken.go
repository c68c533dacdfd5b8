package cmd

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
)

// brokenDocuments are those of a dump that could not be read, and what was asked of
// the dump: who asks for Services misses no Pod.
type brokenDocuments struct {
	all []error

	mutex sync.Mutex
	asked []cache.Target
}

// take takes the errors of a dump that was read, and returns each.
func (b *brokenDocuments) take(err error) []error {
	if err != nil {
		b.all = flatten(err)
	}
	return b.all
}

// ask notes that a Target is listed.
func (b *brokenDocuments) ask(t cache.Target) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.asked = append(b.asked, t)
}

// missed are the documents that may have held an object that was asked for.
func (b *brokenDocuments) missed() []error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var missed []error
	for _, err := range b.all {
		var document *dump.DocumentError
		mayHold := func(t cache.Target) bool { return !errors.As(err, &document) || document.MayHoldOneOf(t) }
		if slices.ContainsFunc(b.asked, mayHold) {
			missed = append(missed, err)
		}
	}
	return missed
}

// withBroken adds to how a command has ended that objects may be missing from its
// answer.
func (s *savedDump) withBroken(err error) error {
	if s == nil || s.connection.ignoreBroken {
		return err
	}
	missed := s.broken.missed()
	if len(missed) == 0 {
		return err
	}
	if errors.Is(err, errNothingMatched) {
		err = nil // nobody knows
	}
	return errors.Join(err, fmt.Errorf(
		"%d of the documents that could not be read may hold objects that were asked for; --ignore-broken makes that no error", len(missed)))
}
