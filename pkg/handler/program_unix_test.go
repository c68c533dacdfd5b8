//go:build unix

package handler

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestACommandHasTheEventOnStdinAndInItsEnvironment(t *testing.T) {
	s := script(t, `read -r line; echo "$line"; cat; echo "$INFORMER_EVENT $INFORMER_NAMESPACE/$INFORMER_NAME ${INFORMER_INITIAL-later} $OWN" >&2`)
	s.o.Environ = []string{"OWN=1", "INFORMER_INITIAL=true"}
	s.handle("ADDED a 1 initial", "MODIFIED b 1->2")
	s.expect("stdout", s.stdout.String(), `{"name":"a","type":"ADDED"}`+"\n"+`{"name":"b","type":"MODIFIED"}`+"\n")
	s.expect("stderr", s.stderr.String(), "ADDED ns/a true 1\nMODIFIED ns/b later 1\n")
}

func TestNothingOfAnObjectIsInTheCommandLine(t *testing.T) {
	s := script(t, `printf '<%s>' "$@"`, "$INFORMER_NAME", "{}", "a b", "`id`")
	s.handle("ADDED a 1")
	s.expect("stdout", s.stdout.String(), "<$INFORMER_NAME><{}><a b><`id`>")
}

// adnanh/webhook#619: an object passed as an argument or a variable is lost
// when it is larger than the system allows.
func TestAnObjectOfAnySizeArrivesOnStdin(t *testing.T) {
	object := bytes.Repeat([]byte("0123456789abcdef"), 10<<20/16)
	s := script(t, `wc -c | tr -d ' '`)
	s.o.Encode = func(cache.Event) ([]byte, error) { return bytes.Clone(object), nil }
	s.handle("ADDED a 1")
	s.expect("stdout", s.stdout.String(), "10485761\n") // with the newline
}

func TestACommandThatDoesNotReadItsStdinIsNoFailure(t *testing.T) {
	for name, text := range map[string]string{
		"does not read":               "true",
		"reads a little":              "dd bs=1 count=1 2>/dev/null >/dev/null",
		"closes it":                   "exec <&-; echo closed >/dev/null",
		"leaves it to another":        "exec 3<&0; (sleep 60 <&3) >/dev/null 2>&1 &",
		"leaves stdout to another":    "sleep 60 &",
		"leaves everything to yes":    "yes &",
		"leaves a child without ears": "(trap '' HUP TERM; sleep 60) &",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The processes left behind end with the test, by way of their group.
			pid := filepath.Join(t.TempDir(), "pid")
			s := script(t, `echo $$ >"$1"; `+text, pid)
			s.o.Encode = func(cache.Event) ([]byte, error) { return make([]byte, 1<<20), nil }
			t.Cleanup(func() { killGroup(t, pid) })
			s.handle("ADDED a 1")
			s.expectGivenUp()
		})
	}
}

func TestTheExitCodeIsToldAsAShellCountsIt(t *testing.T) {
	for text, want := range map[string]string{
		"exit 3":       "ADDED a 1: 3 exit status 3",
		"kill -9 $$":   "ADDED a 1: 137 signal: killed",
		"kill -15 $$":  "ADDED a 1: 143 signal: terminated",
		"nonsuch_xyz_": "ADDED a 1: 127 exit status 127",
	} {
		s := script(t, text)
		s.handle("ADDED a 1")
		s.expectGivenUp(want)
		if s.h.Failed() != 1 {
			t.Errorf("%s: %d objects failed", text, s.h.Failed())
		}
	}
}

func TestAFailureIsRetriedWithTheSameEvent(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	s := script(t, `cat; test -e "$1" || { : >"$1"; exit 1; }`, mark)
	s.o.Retries = 1
	s.handle("MODIFIED a 1->2")
	line := `{"name":"a","type":"MODIFIED"}` + "\n"
	s.expect("stdout", s.stdout.String(), line+line)
	s.expectGivenUp()
}

func TestAnEventThatCannotBeEncodedIsGivenUp(t *testing.T) {
	s := script(t, "echo run")
	s.o.Encode = func(cache.Event) ([]byte, error) { return nil, errors.New("not JSON") }
	s.handle("ADDED a 1")
	s.expect("stdout", s.stdout.String(), "")
	s.expectGivenUp("ADDED a 1: 126 the event cannot be encoded: not JSON")
}

func TestACommandThatDoesNotExistIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("echo hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"nonsuch_xyz_": `cannot run "nonsuch_xyz_": executable file not found in $PATH`,
		dir + "/none":  `cannot run "` + dir + `/none": no such file or directory`,
		plain:          `cannot run "` + plain + `": permission denied`,
		dir:            `cannot run "` + dir + `": is a directory`,
		"":             `cannot run "": executable file not found in $PATH`,
	} {
		s := script(t, "")
		s.o.Command = []string{command}
		if _, err := New(s.o); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestACommandThatVanishesLaterIsAFailureOfTheRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "command")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nrm \"$0\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := script(t, "")
	s.o.Command = []string{path}
	s.handle("ADDED a 1", "ADDED b 1")
	s.expectGivenUp("ADDED b 1: 127 fork/exec " + path + ": no such file or directory")
}

func TestAFileThatIsNoProgramIsAFailureOfTheRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "command")
	if err := os.WriteFile(path, []byte("echo no interpreter named\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := script(t, "")
	s.o.Command = []string{path}
	s.handle("ADDED a 1")
	s.expectGivenUp("ADDED a 1: 126 fork/exec " + path + ": exec format error")
}

func TestTheOutputOfRunsAtOnceIsNotMixed(t *testing.T) {
	for _, size := range []int{3, 20_000} { // the larger goes through files
		s := script(t, `i=0; while [ $i -lt $1 ]; do echo "$INFORMER_NAME out $i is one line of many"; [ $((i % 100)) = 0 ] && echo "$INFORMER_NAME err $i" >&2; i=$((i+1)); done; true`, strconv.Itoa(size))
		s.o.Parallel = 4
		s.handle("ADDED a 1", "ADDED b 1", "ADDED c 1", "ADDED d 1")
		for what, output := range map[string]string{"stdout": s.stdout.String(), "stderr": s.stderr.String()} {
			var order []string
			for line := range strings.Lines(output) {
				if name := line[:1]; len(order) == 0 || order[len(order)-1] != name {
					order = append(order, name)
				}
			}
			if len(order) != 4 {
				t.Errorf("%s of %d lines: runs alternate %d times: %v", what, size, len(order), order)
			}
		}
		if got := strings.Count(s.stdout.String(), "\n"); got != 4*size {
			t.Errorf("%d lines, want %d", got, 4*size)
		}
	}
}

func TestOneRunAtATimeIsShownAsItWrites(t *testing.T) {
	ready := newFIFO(t)
	s := script(t, `echo begun; exec 3>"$1"; echo ready >&3; read -r _ <"$2"`, ready.path, newFIFO(t).path)
	lines := make(chan string, 1)
	s.o.Stdout = lineChannel(lines)
	s.start()
	s.h.Add(parse("ADDED a 1"))
	if line := <-lines; line != "begun\n" {
		t.Errorf("got %q", line)
	}
	ready.await(t, 1)
	s.stop() // it would wait for ever
	<-s.ended
	ready.end(t)
}
