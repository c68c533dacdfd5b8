// Package faults tests what the built plugin makes of API servers that fail:
// that restart, refuse, hang, answer nonsense or vanish. Every test is named for
// what went wrong for users of tools of this kind.
//
// The bounds that the contract states (an error at once: under 5 seconds; an end
// by a signal: within one) are held three times as long here: the plugin is
// built with the race detector, and the machine may be busy.
package faults

import (
	"context"
	"flag"
	"fmt"
	"os"
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
	// These tests wait most of the time: more of them fit on a machine than it
	// has processors. A flag on the command line still counts.
	err := flag.Set("test.parallel", "6")
	code := 1
	if err == nil {
		code, err = run(m)
	}
	if err == nil {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "informer-faults-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if stage.programs, err = harness.Build(ctx, dir); err != nil {
		return 1, err
	}
	if stage.server, err = newServer(ctx); err != nil {
		return 1, err
	}
	code = m.Run()
	return code, stage.server.Stop()
}
