//go:build unix

package handler

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// flood writes more than is kept of it, and than its pipes hold, to stdout and
// stderr at once.
const flood = `
	yes "$INFORMER_NAME err" 2>/dev/null | head -n 20000 >&2 &
	yes "$INFORMER_NAME out" 2>/dev/null | head -n 20000
	wait
`

// expectFloods checks that the output of each run is whole and in one piece.
func expectFloods(t *testing.T, stream, got string, runs int) {
	t.Helper()
	whole := map[string]bool{}
	for rest := got; rest != ""; {
		line, _, _ := strings.Cut(rest, "\n")
		run := strings.Repeat(line+"\n", 20_000)
		if !strings.HasPrefix(rest, run) {
			t.Fatalf("%s: the output of %q is mixed or not whole", stream, line)
		}
		whole[line] = true
		rest = rest[len(run):]
	}
	if len(whole) != runs {
		t.Errorf("%s: got %v, want %d runs", stream, whole, runs)
	}
}

func TestFloodsWaitForOneAnotherForEver(t *testing.T) {
	for name, dir := range map[string]string{"files": t.TempDir(), "no files": filepath.Join(t.TempDir(), "none")} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", dir)
			const runs = 6
			s := script(t, flood)
			s.o.Parallel = 3
			p := newProgram("/bin/sh", s.o)
			p.output.limits = small
			s.run(newHandler(s.o, p.run))
			for n := range runs {
				s.h.Add(parse(fmt.Sprintf("ADDED %d 1", n)))
			}
			s.h.Drain(t.Context())
			if err := <-s.ended; err != nil {
				t.Error(err)
			}
			expectFloods(t, "stdout", s.stdout.String(), runs)
			expectFloods(t, "stderr", s.stderr.String(), runs)
			s.expectGivenUp()
			if left, err := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// Floods that wait for a reader who does not read, or for each other, hold up no end.
func TestAFloodHoldsUpTheEnd(t *testing.T) {
	s := script(t, `exec yes`)
	s.o.Parallel, s.o.Retries = 3, 0
	writing := make(chan struct{}, 1)
	stuck := make(chan struct{})
	s.o.Stdout = writerFunc(func(p []byte) (int, error) {
		writing <- struct{}{}
		<-stuck
		return len(p), nil
	})
	p := newProgram("/bin/sh", s.o)
	p.output.limits = small
	s.run(newHandler(s.o, p.run))
	for n := range 3 {
		s.h.Add(parse(fmt.Sprintf("ADDED %d 1", n)))
	}
	<-writing
	s.stop()
	if err := <-s.ended; err != nil {
		t.Errorf("Run returned %v", err)
	}
	close(stuck)
	s.expectGivenUp()
}

// writerFunc is a function as a writer.
type writerFunc func(p []byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }
