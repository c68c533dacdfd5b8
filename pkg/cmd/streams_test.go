package cmd

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestWhatIsSaidOnStderrIsSafeForATerminal(t *testing.T) {
	var stderr strings.Builder
	streams := Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &strings.Builder{}, ErrOut: &stderr}}
	code := Main(t.Context(), []string{"kubectl-informer", "list", "pods", "--where", "'no\u202e\x1b[2J\u200bsuch'"}, streams)
	if code != exitError || !strings.Contains(stderr.String(), `no\u202e^[[2J\u200bsuch`) {
		t.Errorf("exit %d: %q", code, stderr.String())
	}
	stderr.Reset()
	// What a COMMAND writes is its own.
	if _, err := streams.owned().console.foreign().Write([]byte(eraseLine)); err != nil || stderr.String() != eraseLine {
		t.Errorf("%q, %v", stderr.String(), err)
	}
}
