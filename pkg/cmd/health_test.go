package cmd

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

func TestAHealthFileIsTouchedWhileHealthyAndRemovedAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "health")
	if err := os.WriteFile(path, nil, 0o644); err != nil { // of an earlier run
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		h := newHealthFile(path, nil)
		end, err := h.begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		check := func(want string) {
			t.Helper()
			synctest.Wait()
			got := ""
			if err := checkHealth(path, 30*time.Second, time.Now()); err != nil {
				got = err.Error()
			}
			if got != strings.ReplaceAll(want, "FILE", path) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		check("not healthy: FILE is not there: no tail has synced yet, or it has ended")
		h.is(func() bool { return true })
		time.Sleep(time.Minute)
		check("")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(healthPeriod)
		check("")
		h.is(func() bool { return false })
		time.Sleep(time.Minute)
		check("not healthy: FILE was last touched 1m0s ago")
		h.is(func() bool { return true })
		time.Sleep(healthPeriod)
		check("")
		end()
		check("not healthy: FILE is not there: no tail has synced yet, or it has ended")
	})
}

func TestAFileThatSomebodyNeedsIsNoHealthFile(t *testing.T) {
	dir := t.TempDir()
	needed := filepath.Join(dir, "needed")
	if err := os.WriteFile(needed, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		needed:                               "is no health file",
		dir:                                  "is no health file",
		filepath.Join(dir, "none", "health"): "no such file or directory",
	} {
		if _, err := newHealthFile(path, nil).begin(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	if text, err := os.ReadFile(needed); err != nil || string(text) != "data" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestALeaseHasANameThatKubernetesAllows(t *testing.T) {
	for _, name := range []string{"", "Tail", "a/b"} {
		streams := process.Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: &strings.Builder{}}}
		code := Main(t.Context(), []string{binary, "tail", "pods", "--leader-elect", name}, streams)
		if stderr := streams.ErrOut.(*strings.Builder).String(); code != process.ExitError || !strings.Contains(stderr, "cannot be the name of a Lease") {
			t.Errorf("%q: got %d, %s", name, code, stderr)
		}
	}
}
