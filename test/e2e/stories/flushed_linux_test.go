package stories

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// kubernetes/kubernetes#119246: into a pipe or a file the stream seemed to stop
// after the first event, because the rest sat in a buffer.
func TestEventsAreFlushedWithoutATerminal(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "yaml", "name", "jsonpath={.type} {.object.metadata.name}", "custom-columns=NAME:.metadata.name", "wide"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			checkFlushed(t, format)
		})
	}
}

// checkFlushed makes one change after the other, and waits after each until all
// outputs have grown; in the end all have to be the same.
func checkFlushed(t *testing.T, format string) {
	user := newUser(t)
	user.kubectl("create", "secret", "generic", "a")
	outputs := map[string]func() string{}
	for name, open := range map[string]func(*testing.T) (*os.File, func() string){"terminal": terminal, "file": file, "pipe": pipe} {
		stdout, seen := open(t)
		outputs[name] = seen
		command := stage.programs.Command(t.Context(), user.env, "kubectl-informer", "tail", "secrets", "-o", format)
		command.Stdout, command.Stderr = stdout, os.Stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = command.Process.Kill()
			_ = command.Wait() // killed, and so it says
		})
	}
	length := map[string]int{}
	for _, change := range []string{"", "label secret a turn=1", "create secret generic b", "delete secret a", "delete secret b"} {
		if change != "" {
			user.kubectl(strings.Fields(change)...)
		}
		for name, seen := range outputs {
			eventually(t, func() error {
				text := seen()
				if len(text) <= length[name] || !strings.HasSuffix(text, "\n") {
					return fmt.Errorf("after %q the %s shows no more than:\n%s", change, name, text)
				}
				length[name] = len(text)
				return nil
			})
		}
	}
	if format == "wide" {
		// Ages may tick between the three; all else is the same.
		for name, seen := range outputs {
			outputs[name] = func() string { return withoutAges(seen()) }
		}
	}
	for name, seen := range outputs {
		if got, want := seen(), outputs["pipe"](); got != want {
			t.Errorf("the %s shows:\n%s\nthe pipe:\n%s", name, got, want)
		}
	}
}

// withoutAges cuts the last column from a table.
func withoutAges(table string) string {
	var lines strings.Builder
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		lines.WriteString(strings.Join(fields[:len(fields)-1], " ") + "\n")
	}
	return lines.String()
}
