package question

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// measured are the flags of a command with a metrics file, and its stderr.
func measured(path string) (*ResourceFlags, interface{ String() string }) {
	streams, _, _, stderr := genericiooptions.NewTestIOStreams()
	owned := process.Streams{IOStreams: streams}.Owned()
	f := NewResourceFlags(NewConnection(owned.Console), owned)
	f.metricsFile = path
	return f, stderr
}

func fileHolds(t *testing.T, path, line string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), line+"\n") {
		t.Errorf("%v, want %q in:\n%s", err, line, text)
	}
}

func TestMetricsAreWrittenAtTheStartOnAPeriodAndAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "informer.prom")
	failure := errors.New("it went wrong")
	synctest.Test(t, func(t *testing.T) {
		f, stderr := measured(path)
		err := f.metered(t.Context(), func(context.Context) error {
			for range 2 {
				fileHolds(t, path, "kubectl_informer_running 1")
				if err := os.Remove(path); err != nil {
					t.Error(err)
				}
				time.Sleep(metricsEvery - time.Second)
				synctest.Wait()
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("written before its time: %v", err)
				}
				time.Sleep(time.Second)
				synctest.Wait()
			}
			return failure
		})
		if !errors.Is(err, failure) || stderr.String() != "" {
			t.Errorf("got %v, stderr %q", err, stderr)
		}
	})
	fileHolds(t, path, "kubectl_informer_running 0")
}

func TestNothingRunsWhereMetricsCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none", "informer.prom"): "no such file or directory",
		dir: dir + " is not a regular file",
	} {
		f, _ := measured(path)
		err := f.metered(t.Context(), func(context.Context) error {
			t.Error("it has run")
			return nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), "--metrics-file cannot be written: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestMetricsThatCannotBeWrittenAnyMoreAreAWarningAndAtTheEndAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "textfiles")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		f, stderr := measured(filepath.Join(dir, "informer.prom"))
		err := f.metered(t.Context(), func(context.Context) error {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
			time.Sleep(metricsEvery + time.Second)
			synctest.Wait()
			return nil
		})
		said := stderr.String()
		if err == nil || !strings.Contains(said, "Warning: --metrics-file cannot be written: ") ||
			!strings.Contains(said, "error: --metrics-file cannot be written: ") {
			t.Errorf("got %v, stderr %q", err, said)
		}
	})
}

func TestStatsAreTextOrJSON(t *testing.T) {
	for format, valid := range map[string]bool{"": true, "text": true, "json": true, "yaml": false, "true": false} {
		if err := validateStats(format); (err == nil) != valid {
			t.Errorf("%q: %v", format, err)
		}
	}
}
