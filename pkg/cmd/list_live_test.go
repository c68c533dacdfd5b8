package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

func TestAViewThatCannotBeIsRefusedWithAReason(t *testing.T) {
	t.Setenv("KUBECONFIG", "/dev/null")
	for args, want := range map[string]string{
		"":                        `--live needs a terminal, and stdout is none: "tail" reports changes line by line`,
		"-o json":                 "--live shows a table: it can only be used with -o wide, got \"json\"; \"tail -o json\" and others report changes as data",
		"-o name":                 "got \"name\"",
		"-o custom-columns=A:.a":  "got \"custom-columns=A:.a\"",
		"--template={{.}}":        "got \"--template\"",
		"-w":                      "--live cannot be used with --watch: ",
		"--watch-only":            "--live cannot be used with --watch: ",
		"--exit-status":           "--exit-status cannot be used with --live: ",
		"--verify":                "--verify cannot be used with --live: ",
		"--from .":                "--live cannot be used with --from: ",
		"--subresource=status":    "--subresource cannot be used with --live: ",
		"--count-by node -o wide": "-o wide cannot be used with --count-by",
	} {
		for _, terminal := range []bool{false, true} {
			if terminal && args == "" {
				t.Setenv("TERM", "dumb")
				want = `--live needs a terminal that can move its cursor, and TERM is "dumb": "tail" reports changes line by line`
			}
			var stdout, stderr bytes.Buffer
			code := Main(t.Context(), append([]string{"kubectl-informer", "list", "pods", "--live"}, strings.Fields(args)...),
				process.Streams{IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr}, OutIsTerminal: terminal})
			if code != 1 || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "error: ") || !strings.Contains(stderr.String(), want) {
				t.Errorf("%s: code %d, stdout %q, stderr %q; want %q", args, code, stdout.String(), stderr.String(), want)
			}
		}
	}
}

// A word on the terminal that the view is on would spoil it until the next repaint.
func TestWordsStayOffTheTerminalThatTheViewIsOn(t *testing.T) {
	for terminal, want := range map[bool]string{true: "before\nafter\n", false: "before\nmeanwhile\nafter\n"} {
		var stderr bytes.Buffer
		console, seen := consoleTo(&stderr), newNotices()
		console.Say("before")
		restore := console.Divert(seen.put, terminal)
		console.Say("meanwhile")
		console.ShowProgress("listing")
		restore()
		console.Say("after")
		if stderr.String() != want || seen.take() != "meanwhile" || seen.take() != "" {
			t.Errorf("terminal %v: stderr has %q", terminal, stderr.String())
		}
	}
}

func TestNewsAreOneLineWithoutControlCharacters(t *testing.T) {
	seen := newNotices()
	seen.put("\x1b[33;1mWarning:\x1b[0m a\tb\nhint: more\n")
	if got := seen.take(); got != `Warning: a\tb` {
		t.Errorf("got %q", got)
	}
	<-seen.ready
	seen.put("first\n")
	seen.put("second\n") // does not wait for a reader
	if got := seen.take(); got != "second" {
		t.Errorf("got %q", got)
	}
}

func TestAKeyInterruptsAsASignalDoes(t *testing.T) {
	if code := process.Finish(t.Context(), consoleTo(&bytes.Buffer{}), process.Asked{}, process.Interrupted{Signal: os.Interrupt}); code != 130 {
		t.Errorf("the exit code is %d", code)
	}
}
