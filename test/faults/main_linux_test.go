package faults

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// stage is what all scenarios share; it is set before any of them runs.
var stage struct {
	programs harness.Programs
	// shared serves the scenarios that leave it alive.
	shared  *site
	results results
}

var (
	seed   = flag.Uint64("seed", 1, "what all that is random is drawn from")
	long   = flag.Bool("long", false, "let the faults last as long as they do in the long form")
	soak   = flag.Duration("soak", 0, "for how long TestSoak makes random faults")
	report = flag.String("report", "", "the page whose table of scenarios is written anew")
)

// results are those of all scenarios that have run.
type results struct {
	mu  sync.Mutex
	all []*result
}

func (r *results) add(one *result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, one)
}

func TestMain(m *testing.M) {
	harness.Overlap(8)
	code, err := harness.Run(m, start)
	if err == nil && *report != "" {
		err = writeReport(*report, stage.results.all)
	}
	harness.Exit(code, errors.Join(err, goleak.Find()))
}

func start(ctx context.Context, dir string) (end func() error, err error) {
	if stage.programs, err = harness.Build(ctx, dir); err != nil {
		return nil, err
	}
	if stage.shared, err = newSite(ctx); err != nil {
		return nil, err
	}
	return stage.shared.Stop, nil
}

const (
	// patience is how long a scenario waits for what has to come.
	patience = 60 * time.Second
	// slack is how much longer than the contract has it things may take: the
	// plugin is built with the race detector, and the machine is busy.
	slack = 2
	// soon is how long a fault that can be noticed may go unsaid.
	soon = slack * 5 * time.Second
	// signalled is how long it may take to end after SIGINT.
	signalled = slack * 2 * time.Second
)

// lasts returns how long something lasts: in the short form, or in the long.
func lasts(short, inLong time.Duration) time.Duration {
	if *long || *soak > 0 {
		return inLong
	}
	return short
}

// times is the same for numbers.
func times(short, inLong int) int {
	if *long || *soak > 0 {
		return inLong
	}
	return short
}

// eventually asks until the check returns no error.
func eventually(ctx context.Context, limit time.Duration, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("after %v: %w", limit, err)
		}
	}
}

// note writes a line about the run, not about a failure.
func note(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
