package stories

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// eraseLine is how a program erases the line of a terminal that it is in.
const eraseLine = "\r\x1b[K"

// onScreen is what a person sees of what was written, line by line: what has been
// erased is gone.
func onScreen(written string) []string {
	lines := strings.Split(written, "\n")
	for i, line := range lines {
		if at := strings.LastIndex(line, eraseLine); at >= 0 {
			lines[i] = line[at+len(eraseLine):]
		}
	}
	return lines
}

// While one type was still listed, the line that shows how far it is ran into what
// was told of the others.
func TestProgressLineStaysApartFromEvents(t *testing.T) {
	t.Parallel()
	proxy, release := held(t)
	user := newUser(t)
	user.kubectl("create", "secret", "generic", "slow")
	screen, seen := terminal(t)
	command := stage.programs.Command(t.Context(), append(user.through(proxy.URL()).env, "TERM=xterm"),
		"kubectl-informer", "tail", "secrets,roles", "-o", "name")
	command.Stdout, command.Stderr = screen, screen
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // killed, and so it says
	})
	shown := func(line string) {
		t.Helper()
		eventually(t, func() error {
			if lines := onScreen(seen()); !slices.Contains(lines, line) {
				return fmt.Errorf("%q is not on the screen, but %q", line, lines)
			}
			return nil
		})
	}
	shown("listing secrets: 0")
	var want []string
	for _, name := range []string{"first", "second"} {
		user.kubectl("create", "role", name, "--verb=get", "--resource=pods")
		want = append(want, "role.rbac.authorization.k8s.io/"+name)
		shown(want[len(want)-1])
		shown("listing secrets: 0")
	}
	release()
	shown("secret/slow")
	want = append(want, "secret/slow", "")
	eventually(t, func() error {
		if lines := onScreen(seen()); !slices.Equal(lines, want) {
			return fmt.Errorf("on the screen is %q, want %q", lines, want)
		}
		return nil
	})
}

// A COMMAND that read from the terminal was stopped for ever, silently, as a job in
// the background is.
func TestCommandThatReadsTheTerminalFailsAtOnce(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	user.kubectl("create", "secret", "generic", "a")
	screen, _ := terminal(t)
	command := stage.programs.Command(t.Context(), user.env, "kubectl-informer", "tail", "secrets", "--max-events", "1",
		"--retries", "0", "--", "sh", "-c", "read -r line </dev/tty")
	command.Stdin = screen
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	started, err := harness.Follow(command)
	if err != nil {
		t.Fatal(err)
	}
	got, err := started.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if got.Code != 1 || !strings.Contains(got.Stderr, "/dev/tty") || !strings.Contains(got.Stderr, `gave up on ADDED of secrets "a"`) {
		t.Errorf("exit code %d, stderr %q", got.Code, got.Stderr)
	}
}

// It fails for want of a terminal of its own, not of one at all.
func TestTerminalOfThisTestCanBeRead(t *testing.T) {
	t.Parallel()
	screen, _ := terminal(t)
	command := exec.CommandContext(t.Context(), "sh", "-c", ": </dev/tty")
	command.Stdin = screen
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
