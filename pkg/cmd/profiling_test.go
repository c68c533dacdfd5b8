package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestAProfileIsWrittenAndItsFlagsAreNotInTheHelp(t *testing.T) {
	for _, name := range []string{"cpu", "heap", "mutex"} {
		file := filepath.Join(t.TempDir(), "out.pprof")
		var stdout, stderr bytes.Buffer
		streams := Streams{IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr}}
		code := Main(t.Context(), []string{binary, "version", "--profile", name, "--profile-output", file}, streams)
		written, err := os.ReadFile(file)
		if code != 0 || err != nil || !bytes.HasPrefix(written, []byte("\x1f\x8b")) {
			t.Errorf("%s: exit %d, %v, %d bytes that are no profile; %s", name, code, err, len(written), &stderr)
		}
		stdout.Reset()
		if Main(t.Context(), []string{binary, "options"}, streams); strings.Contains(stdout.String(), "--profile") {
			t.Error("the help names the flags")
		}
	}
}

func TestAnUnknownProfileIsAnError(t *testing.T) {
	var stdout, stderr bytes.Buffer
	streams := Streams{IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr}}
	if code := Main(t.Context(), []string{binary, "version", "--profile", "gpu"}, streams); code != 1 || !strings.Contains(stderr.String(), `unknown profile "gpu"`) {
		t.Errorf("exit %d, %q", code, &stderr)
	}
}
