//go:build unix

package state

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// fullFile is where a process of its own finds the file that must not grow: the limit
// is the process's, and does not end before it does.
const fullFile = "INFORMER_TEST_FULL_FILE"

// A full disk is an error that names the file, and leaves what was written before.
func TestAFullDiskIsAnError(t *testing.T) {
	if path := os.Getenv(fullFile); path != "" {
		fillDisk(t, path)
		return
	}
	path := newPath(t)
	within(t, path, asked(), func(_ *File, j *Journal) { j.Note(changeOf(row("a", "1"))) })
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$")
	command.Env = append(os.Environ(), fullFile+"="+path)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	left := contents(t, path)
	if len(left) < 2 || left[0] != "a 1" {
		t.Errorf("left is %q", left)
	}
}

// fillDisk writes to a file that may not grow beyond 1 MiB until that fails.
func fillDisk(t *testing.T, path string) {
	limit := syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	file, err := Open(path, asked())
	if err != nil {
		t.Fatal(err)
	}
	broken := make(chan error, 1)
	journal := NewJournal(file, func(err error) { broken <- err })
	for n := range 100_000 {
		change := changeOf(row(fmt.Sprintf("b-%06d", n), "1"))
		change.Row.Annotations = map[string]string{"text": strings.Repeat(fmt.Sprint(n*7919), 5)}
		journal.Later(change)
		if n%100 == 0 && journal.Commit() != nil {
			break
		}
	}
	err = <-broken
	if text := err.Error(); !strings.Contains(text, "the state file "+path+" cannot be written") || !strings.Contains(text, syscall.EFBIG.Error()) {
		t.Errorf("got %v", err)
	}
	if again := journal.Commit(); !errors.Is(again, err) {
		t.Errorf("then %v", again)
	}
	if closed := journal.Close(); !errors.Is(closed, err) {
		t.Errorf("at the end %v", closed)
	}
	if _, err := Open(path, Question{Cluster: asked().Cluster, Targets: []cache.Target{configMaps}}); err != nil {
		t.Errorf("it cannot be opened again: %v", err)
	}
}
