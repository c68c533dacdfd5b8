package harness

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// prepareTimeout is how long the preparation of a package's tests may take; a
// control plane of theirs may live no longer either.
const prepareTimeout = 20 * time.Minute

// Run runs a package's tests as RunAlways does, and none of them with -short: they
// take long on a control plane.
func Run(m *testing.M, prepare func(ctx context.Context, dir string) (end func() error, err error)) (code int, err error) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("-short: no tests that take long on a control plane")
		return 0, nil
	}
	return RunAlways(m, prepare)
}

// RunAlways runs a package's tests after prepare, and returns their exit code. prepare
// gets a folder that is gone afterwards, and a context that ends then; end, unless
// nil, ends what it has started, also if it returns an error.
func RunAlways(m *testing.M, prepare func(ctx context.Context, dir string) (end func() error, err error)) (code int, err error) {
	hearSignals()
	ctx, cancel := context.WithTimeout(context.Background(), prepareTimeout)
	defer cancel()
	dir, err := os.MkdirTemp("", "informer-tests-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	end, err := prepare(ctx, dir)
	if end != nil {
		defer func() { err = errors.Join(err, end()) }()
	}
	if err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// Overlap has so many tests of the package run at a time. Those that wait most of the
// time fit on a machine in greater numbers than it has processors. A flag on the
// command line still counts.
func Overlap(tests int) {
	if err := flag.Set("test.parallel", strconv.Itoa(tests)); err != nil {
		Exit(1, err)
	}
}

// Exit ends the process of a package's tests.
func Exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}
