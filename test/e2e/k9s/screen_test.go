//go:build unix && k9s

package k9s

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeysInK9s presses keys in k9s itself, in a terminal that tmux plays. The
// k9s is that of $K9S; `make k9s-test` builds it.
func TestKeysInK9s(t *testing.T) {
	program := os.Getenv("K9S")
	if program == "" {
		t.Fatal("no k9s is given in $K9S: `make k9s-test` builds it")
	}
	u := newUser(t)
	k9s := u.openK9s(program)
	k9s.until("pods(shop)", "db-1")
	k9s.keys("/db-0", "Enter")
	k9s.until("pods(shop)[1]", "db-0")

	k9s.keys("E")
	k9s.until("EVENT", "ADDED", "db-0")
	u.kubectl("annotate", "pod/db-0", "--namespace=shop", "example.com/key=E")
	k9s.until("MODIFIED")
	k9s.keys("C-c")
	k9s.until("pods(shop)")
	k9s.keys("H")
	k9s.until("EVENT", "ADDED", "db-0")
	u.kubectl("annotate", "pod/db-0", "--namespace=shop", "example.com/key=H", "--overwrite")
	k9s.until("metadata.annotations", "E → H")
	k9s.keys("C-c")
	k9s.until("pods(shop)")

	// k9s was deaf after Ctrl-C in the pager.
	k9s.keys("Y")
	k9s.until("NOMINATED NODE", "db-0", "db-1", "(END)")
	k9s.keys("C-c", "q")
	k9s.until("pods(shop)")
	k9s.keys("W")
	k9s.until("Waiting for pods.v1./db-0", "pod/db-0 condition met", "Press Enter")
	k9s.keys("Enter")
	k9s.until("pods(shop)")

	// What no namespace holds, and what is not of Kubernetes' own types.
	k9s.keys(":nodes", "Enter")
	k9s.until("nodes(all)", "node-1")
	k9s.keys("Q")
	k9s.until("NAMESPACE", "node-agent", "(END)")
	k9s.keys("q")
	k9s.until("nodes(all)")
	k9s.keys(":widgets keys", "Enter")
	k9s.until("widgets(keys)[1]", "changing")
	k9s.keys("E")
	k9s.until("EVENT", "ADDED", "changing")
	k9s.keys("C-c")
	k9s.until("widgets(keys)")
}

// terminal is a terminal that tmux plays.
type terminal struct {
	u      *user
	socket string
	env    []string
}

// openK9s starts k9s with plugins.yaml in a terminal.
func (u *user) openK9s(program string) *terminal {
	u.t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		u.t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"plugins.yaml": content,
		// Nobody is asked whether there is a newer k9s.
		"config.yaml": []byte("k9s:\n  skipLatestRevCheck: true\n"),
	} {
		if err := os.WriteFile(filepath.Join(u.dir, name), content, 0o600); err != nil {
			u.t.Fatal(err)
		}
	}
	// A short name: the path of a Unix socket has room for 104 bytes.
	dir, err := os.MkdirTemp("", "tmux-")
	if err != nil {
		u.t.Fatal(err)
	}
	k9s := &terminal{u: u, socket: filepath.Join(dir, "s"), env: append(u.env,
		"PATH="+stage.programs.Dir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"K9S_CONFIG_DIR="+u.dir, "XDG_CONFIG_HOME="+u.dir, "XDG_DATA_HOME="+u.dir, "XDG_STATE_HOME="+u.dir,
		"LC_ALL=C.UTF-8", "TERM=xterm-256color",
		"LESS=-FRX", // what git recommends: less would not stay for a short list
	)}
	u.t.Cleanup(func() {
		k9s.tmux("kill-server")
		if err := os.RemoveAll(dir); err != nil {
			u.t.Error(err)
		}
	})
	k9s.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50",
		program, "--kubeconfig", u.kubeconfig, "--namespace", "shop", "--command", "pods", "--logFile", filepath.Join(u.dir, "k9s.log"))
	return k9s
}

// tmux runs a command of tmux and returns what it prints.
func (k *terminal) tmux(args ...string) string {
	k.u.t.Helper()
	command := exec.Command("tmux", append([]string{"-S", k.socket}, args...)...)
	command.Env = k.env
	out, err := command.CombinedOutput()
	if err != nil {
		k.u.t.Errorf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// keys presses keys, as tmux names them.
func (k *terminal) keys(names ...string) {
	k.u.t.Helper()
	for _, name := range names {
		k.tmux("send-keys", name)
	}
}

// until waits until the screen shows all of some words.
func (k *terminal) until(words ...string) {
	k.u.t.Helper()
	k.u.eventually(func() error {
		screen := k.tmux("capture-pane", "-p")
		for _, word := range words {
			if !strings.Contains(screen, word) {
				return fmt.Errorf("the screen does not show %q:\n%s", word, screen)
			}
		}
		return nil
	})
}
