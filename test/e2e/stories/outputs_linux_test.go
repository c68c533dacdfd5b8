package stories

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// colour is how a program has a terminal write in another colour.
var colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// terminal returns the side of a new terminal that a program writes to, and what
// reads what a person would see, but for colours.
func terminal(t *testing.T) (program *os.File, seen func() string) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var screen lockedBuffer
	var reading sync.WaitGroup
	// It ends with an error when nobody has the other side open any more.
	reading.Go(func() { _, _ = io.Copy(&screen, person) })
	t.Cleanup(func() {
		_ = program.Close()
		reading.Wait()
		_ = person.Close()
	})
	return program, func() string {
		return colour.ReplaceAllString(strings.ReplaceAll(screen.String(), "\r\n", "\n"), "")
	}
}

// lockedBuffer is written to while it is read.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// file returns a new file for a program to write to, and what reads it.
func file(t *testing.T) (program *os.File, seen func() string) {
	t.Helper()
	program, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return program, func() string {
		text, err := os.ReadFile(program.Name())
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
}

// pipe returns the end of a new pipe for a program to write to, and what tells
// what has come out of the other.
func pipe(t *testing.T) (program *os.File, seen func() string) {
	t.Helper()
	reader, program, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var read lockedBuffer
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(&read, reader) }) // it ends with the other end
	t.Cleanup(func() {
		_ = program.Close()
		reading.Wait()
		_ = reader.Close()
	})
	return program, read.String
}
