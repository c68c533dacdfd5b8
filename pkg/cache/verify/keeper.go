package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// MinEvery is the shortest period of a Keeper.
const MinEvery = time.Second

// lasting is how long a difference has to last before it counts: a watch that is slower
// than that has, for whoever reads it, lost what it has not brought.
const lasting = 10 * time.Second

// Cache is a cache that a watch keeps up to date.
type Cache interface {
	// Rows returns what it holds; ok is false while it need not be what the server
	// has, because nothing can be received.
	Rows() (rows []*cache.Row, ok bool)
	// Relist has it listed anew.
	Relist(reason error)
}

// Keeper verifies a cache on a period, and has it listed anew where it is wrong.
type Keeper struct {
	*Lister
	Cache
	Every time.Duration
	// Report is called with each *Error, before the cache is listed anew, and with why
	// a comparison was not possible.
	Report func(error)
}

// Run runs until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for pause(ctx, k.Every) {
		differences, err := k.lastingDifferences(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			k.Report(fmt.Errorf("cannot verify the cache of %s: %w", k.Target, err))
		case len(differences) > 0:
			err := &Error{k.Target, differences}
			k.Report(err)
			k.Relist(err)
		}
	}
}

// lastingDifferences are those that are the same in two comparisons.
func (k *Keeper) lastingDifferences(ctx context.Context) ([]Difference, error) {
	first, err := k.differences(ctx)
	if err != nil || len(first) == 0 || !pause(ctx, lasting) {
		return nil, err
	}
	second, err := k.differences(ctx)
	return slices.DeleteFunc(second, func(d Difference) bool { return !slices.Contains(first, d) }), err
}

// differences are those of the moment; none while the cache cannot be right.
func (k *Keeper) differences(ctx context.Context) ([]Difference, error) {
	if _, ok := k.Rows(); !ok {
		return nil, nil
	}
	served, err := k.list(ctx, "")
	if err != nil {
		return nil, err
	}
	cached, ok := k.Rows()
	if !ok {
		return nil, nil
	}
	return compare(cached, served), nil
}

// pause says whether ctx lives on after that time.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
