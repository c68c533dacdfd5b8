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
		// Nobody touches it any more, and the clock is set back.
		if err := checkHealth(path, 30*time.Second, time.Now().Add(-time.Hour)); err == nil || !strings.Contains(err.Error(), "was set back by 1h0m0s") {
			t.Errorf("got %v", err)
		}
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

// What somebody else has put there in the meantime is not removed.
func TestAFileThatIsNoHealthFileAnyMoreIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "health")
	var stderr strings.Builder
	end, err := newHealthFile(path, consoleTo(&stderr)).begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	end()
	if text, err := os.ReadFile(path); err != nil || string(text) != "data" || !strings.Contains(stderr.String(), "cannot remove the health file") {
		t.Errorf("got %q, %v, %s", text, err, stderr.String())
	}
}

func TestWhatCannotBeMeantInAClusterIsRefused(t *testing.T) {
	for args, want := range map[string]string{
		"--leader-elect=":                                  "cannot be the name of a Lease",
		"--leader-elect=Tail":                              "cannot be the name of a Lease",
		"--leader-elect=a/b":                               "cannot be the name of a Lease",
		"--leader-elect=tail --replay=record":              "--leader-elect cannot be used with --replay: there is no server to ask",
		"--leader-elect=tail --from=dump":                  "tail cannot be used with --from",
		"--health-file=":                                   "--health-file needs the name of a FILE",
		"--health-file=health --replay=record":             "--health-file cannot be used with --replay: there is no server to ask",
		"--health-file=health --until-synced":              "--health-file cannot be used with --until-synced",
		"--health-file=health --state=./health":            "--health-file needs a FILE of its own, health is that of --state",
		"--health-file=health --record=health":             "--health-file needs a FILE of its own, health is that of --record",
		"--health-file=health --metrics-file=health":       "--health-file needs a FILE of its own, health is that of --metrics-file",
		"--health-file=health --leader-elect=t --resync=1": "--resync", // as without them
	} {
		stderr := &strings.Builder{}
		streams := process.Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: stderr}}
		code := Main(t.Context(), append([]string{binary, "tail", "pods"}, strings.Fields(args)...), streams)
		if code != process.ExitError || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: got %d, %s, want %q", args, code, stderr, want)
		}
	}
}
