// Package faults tests what the built plugin makes of API servers that fail:
// that restart, refuse, hang, answer nonsense or vanish. Every test is named for
// what is true, and begins with what went wrong for users of tools of this kind.
//
// The bounds that the contract states (an error at once: under 5 seconds; an end
// by a signal: within one) are held three times as long here: the plugin is
// built with the race detector, and the machine may be busy.
package faults

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

const (
	// atOnce is how long an invocation may take that cannot succeed.
	atOnce = 3 * 5 * time.Second
	// signalled is how long it may take to end after a signal.
	signalled = 3 * time.Second
	// patience is how long a test waits for what has to come.
	patience = time.Minute
)

// stage is what all tests share; it is set once, before any of them runs.
var stage struct {
	programs harness.Programs
	// server serves the tests that leave it alive.
	server *server
}

func TestMain(m *testing.M) {
	harness.Overlap(6)
	code, err := harness.Run(m, start)
	harness.Exit(code, errors.Join(err, goleak.Find()))
}

func start(ctx context.Context, dir string) (end func() error, err error) {
	if stage.programs, err = harness.Build(ctx, dir); err != nil {
		return nil, err
	}
	if stage.server, err = newServer(ctx); err != nil {
		return nil, err
	}
	return stage.server.Stop, nil
}
