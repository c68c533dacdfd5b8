//go:build unix

package k9s

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// user is somebody who has k9s open.
type user struct {
	t *testing.T
	// env is the environment that k9s was started in. Its KUBECONFIG is none:
	// k9s has been given one by a flag.
	env []string
	// dir is the folder that k9s was started in.
	dir                 string
	kubeconfig, context string
}

func newUser(t *testing.T) *user {
	t.Helper()
	return &user{
		t:   t,
		env: append(stage.programs.Environ(stage.home, "/nonexistent"), "PATH="+withPager(t)),
		dir: t.TempDir(), kubeconfig: stage.kubeconfig, context: cluster.Admin,
	}
}

// withPager returns a PATH that has a pager which is at its end when its input
// is, and takes the options that the entries give; and a terminal's settings.
func withPager(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{
		"less": `test "$*" = '-S -+F' && exec cat; echo "less $*"`,
		"stty": `test "$*" = -isig || test "$*" = isig || echo "stty $*"`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join([]string{dir, stage.programs.Dir, os.Getenv("PATH")}, string(os.PathListSeparator))
}

// press returns the command that k9s runs when a key is pressed in a view.
// Whatever it asks for, Enter is pressed.
func (u *user) press(key string, v view, more ...string) *exec.Cmd {
	u.t.Helper()
	return u.command(key, v.resource, v.variables(u.kubeconfig, u.context), more...)
}

// command returns the command of the entry that a key has in the view of a
// resource, with more arguments at its end.
func (u *user) command(key, resource string, known variables, more ...string) *exec.Cmd {
	u.t.Helper()
	for _, p := range plugins(u.t) {
		if p.ShortCut != key || !p.inScope(resource) {
			continue
		}
		args := make([]string, 0, len(p.Args)+len(more))
		for _, argument := range p.Args {
			args = append(args, known.substitute(argument))
		}
		command := exec.CommandContext(u.t.Context(), p.Command, append(args, more...)...)
		command.Env, command.Dir = u.env, u.dir
		command.Stdin = strings.NewReader("\n")
		// As on a terminal, Ctrl-C reaches all of its processes.
		command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return command
	}
	u.t.Fatalf("%s does nothing in the view of %s", key, resource)
	return nil
}

// shows runs a command to its end and returns what is on the screen then.
// A command that fails makes k9s draw a cow over it.
func (u *user) shows(command *exec.Cmd) string {
	u.t.Helper()
	var screen bytes.Buffer
	command.Stdout, command.Stderr = &screen, &screen
	if err := command.Run(); err != nil {
		u.t.Fatalf("%q: %v\n%s", command.Args, err, screen.String())
	}
	return screen.String()
}

// lists presses a key that lists pods, and returns what is in the pager.
func (u *user) lists(key string, v view) string {
	u.t.Helper()
	screen := u.shows(u.press(key, v))
	table, ok := strings.CutPrefix(screen, "Listing pods (Ctrl-C gives up)\n")
	if !ok {
		u.t.Fatalf("got:\n%s", screen)
	}
	return table
}

// kubectl returns what kubectl prints; it has to succeed.
func (u *user) kubectl(args ...string) string {
	u.t.Helper()
	result, err := stage.programs.Run(u.t.Context(), stage.programs.Environ(stage.home, u.kubeconfig), "kubectl", args...)
	if err != nil {
		u.t.Fatal(err)
	}
	if result.Code != 0 {
		u.t.Fatalf("kubectl %q: %s", args, result.Stderr)
	}
	return result.Stdout
}

// eventually waits until the check returns no error.
func (u *user) eventually(check func() error) {
	u.t.Helper()
	if err := harness.Eventually(u.t.Context(), check); err != nil {
		u.t.Fatal(err)
	}
}

// ages are the cells that tick between two answers, with what fills their column.
var ages = regexp.MustCompile(`\b\d+[dhms](\d+[hms])?\b *`)

// still is a table without what ticks in it.
func still(table string) string { return ages.ReplaceAllString(table, "AGE ") }
