package process

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a new terminal.
func openTerminal(t *testing.T) (ours, persons *os.File) {
	t.Helper()
	persons, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(persons.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(persons.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	ours, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return ours, persons
}

func TestTerminalThatIsClosedHasNoReader(t *testing.T) {
	ours, persons := openTerminal(t)
	defer ours.Close()
	if hasNoReader(ours) {
		t.Error("its reader is taken for gone while it is there")
	}
	if err := persons.Close(); err != nil {
		t.Fatal(err)
	}
	if !hasNoReader(ours) {
		t.Error("its reader has gone, and it is not noticed")
	}
}

func TestWarningsAreYellowOnATerminalThatHasColours(t *testing.T) {
	const plain = "Warning: something\r\n"
	for name, test := range map[string]struct {
		environ map[string]string
		want    string
	}{
		"colours":         {map[string]string{"TERM": "xterm"}, "\x1b[33;1mWarning:\x1b[0m something\r\n"},
		"a dumb terminal": {map[string]string{"TERM": "dumb"}, plain},
		"NO_COLOR":        {map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, plain},
	} {
		t.Run(name, func(t *testing.T) {
			unset(t, "NO_COLOR")
			for key, value := range test.environ {
				t.Setenv(key, value)
			}
			ours, persons := openTerminal(t)
			defer persons.Close()
			defer ours.Close()
			console := consoleOn(ours)
			console.Warn("something")
			console.Server.HandleWarningHeader(299, "", "something")
			for range 2 {
				seen := make([]byte, len(test.want))
				if _, err := persons.Read(seen); err != nil || string(seen) != test.want {
					t.Errorf("got %q, %v, want %q", seen, err, test.want)
				}
			}
		})
	}
}

// unset removes a variable of the environment until the test ends.
func unset(t *testing.T, key string) {
	t.Helper()
	t.Setenv(key, "") // which has it restored
	if err := os.Unsetenv(key); err != nil {
		t.Fatal(err)
	}
}
