package stories

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// screen is a terminal that tmux plays, with a shell in it.
type screen struct {
	t      *testing.T
	socket string
	env    []string
}

// open opens a shell in a terminal of a size.
func (u *user) open(width, height int) *screen {
	u.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		u.t.Fatalf("the view is looked at in a terminal of tmux: install tmux (%v)", err)
	}
	// A short name: the path of a Unix socket has room for 104 bytes.
	dir, err := os.MkdirTemp("", "tmux-")
	if err != nil {
		u.t.Fatal(err)
	}
	s := &screen{t: u.t, socket: filepath.Join(dir, "s"), env: append(u.env, "LC_ALL=C.UTF-8", "TERM=xterm-256color", "TZ=UTC")}
	u.t.Cleanup(func() {
		s.tmux("kill-server")
		if err := os.RemoveAll(dir); err != nil {
			u.t.Error(err)
		}
	})
	s.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "env PS1='shell> ' bash --norc --noprofile")
	s.shows("shell>")
	return s
}

// tmux runs a command of tmux and returns what it prints.
func (s *screen) tmux(args ...string) string {
	s.t.Helper()
	command := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...)
	command.Env = s.env
	out, err := command.CombinedOutput()
	if err != nil {
		s.t.Errorf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// types types a line into the shell.
func (s *screen) types(line string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", line)
	s.tmux("send-keys", "Enter")
}

// press presses keys, as tmux names them. What follows Esc at once is Alt to a
// terminal.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		s.tmux("send-keys", key)
		if key == "Escape" {
			time.Sleep(300 * time.Millisecond)
		}
	}
}

// lines are what is on the screen.
func (s *screen) lines(options ...string) []string {
	s.t.Helper()
	text := s.tmux(append([]string{"capture-pane", "-p"}, options...)...)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// until waits until the screen satisfies a check.
func (s *screen) until(check func(text string) error) {
	s.t.Helper()
	eventually(s.t, func() error {
		text := strings.Join(s.lines(), "\n")
		if err := check(text); err != nil {
			return fmt.Errorf("%w; on the screen:\n%s", err, text)
		}
		return nil
	})
}

// shows waits until all words are on the screen.
func (s *screen) shows(words ...string) {
	s.t.Helper()
	s.until(func(text string) error {
		for _, word := range words {
			if !strings.Contains(text, word) {
				return fmt.Errorf("there is no %q", word)
			}
		}
		return nil
	})
}

// hides waits until none of the words is on the screen.
func (s *screen) hides(words ...string) {
	s.t.Helper()
	s.until(func(text string) error {
		for _, word := range words {
			if strings.Contains(text, word) {
				return fmt.Errorf("there is %q", word)
			}
		}
		return nil
	})
}

// restored waits for the shell, and checks that the terminal is as it was before.
func (s *screen) restored(code int) {
	s.t.Helper()
	s.shows("what was here before")
	s.types(`echo "code $?, $(stty -a | grep -o -e '-*icanon' -e '-*echo ' | tr -d '\n')"`)
	s.shows(fmt.Sprintf("code %d, icanonecho", code))
	if shown := s.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}"); shown != "0 1\n" {
		s.t.Errorf("the other screen is on, or the cursor is hidden: %q", shown)
	}
}
