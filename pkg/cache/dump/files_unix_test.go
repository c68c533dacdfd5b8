//go:build unix

package dump

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func pipeAt(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

const oneNode = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"

func TestOfADirectoryOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	pipeAt(t, filepath.Join(dir, "pipe.yaml"))
	for link, to := range map[string]string{"zero.json": "/dev/zero", "link.yaml": "node.yaml", "up": "..", "self.yaml": "self.yaml", "topipe.yml": "pipe.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "node.yaml"), []byte(oneNode), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Read(t.Context(), []string{dir}, nil)
	if d == nil || !errors.Is(err, syscall.ELOOP) || len(unjoined(err)) != 1 {
		t.Fatalf("got %v; want the link to itself alone to be at fault", err)
	}
	if len(d.objects) != 1 {
		t.Errorf("got %v", d.objects)
	}
	got := strings.ReplaceAll(strings.Join(d.Warnings(), "\n"), dir+"/", "")
	if want := "pipe.yaml: not a regular file, but a named pipe\ntopipe.yml: not a regular file, but a named pipe\nzero.json: not a regular file, but a device"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAPipeThatIsNamedIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	pipeAt(t, path)
	wrote := make(chan error, 1)
	go func() { wrote <- os.WriteFile(path, []byte(oneNode), 0o600) }()
	d, err := Read(t.Context(), []string{path}, nil)
	if err := errors.Join(err, <-wrote); err != nil || len(d.objects) != 1 {
		t.Errorf("got %v, %v", d, err)
	}
}

func TestADeviceIsRefused(t *testing.T) {
	if _, err := Read(t.Context(), []string{"/dev/zero"}, nil); err == nil || err.Error() != `the path "/dev/zero" is a device: only files, directories and pipes are read` {
		t.Errorf("got %v", err)
	}
	if d, err := Read(t.Context(), []string{os.DevNull}, nil); err != nil || len(d.objects) != 0 {
		t.Errorf("nothing: %v", err)
	}
}

// endless is text, or anything, without an end.
type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[i%len(e.text)]
	}
	return len(p), nil
}

func TestWhatIsNoTextIsNotReadToItsEnd(t *testing.T) {
	d, err := Read(context.Background(), []string{"-"}, endless{"\x00"})
	if d == nil || !errors.Is(err, errBinary) || err.Error() != "stdin: it begins with binary data, not with JSON or YAML" {
		t.Errorf("got %v", err)
	}
}

func TestATextWithoutAnEndIsNotReadBeyondTheBound(t *testing.T) {
	const most = 3 << 20
	n, err := io.Copy(io.Discard, newBounded(endless{"- a\n"}, most))
	if n != most || err == nil || err.Error() != "it is larger than 3 MiB: what comes after that is not read; split it into several files" {
		t.Errorf("got %d bytes, %v", n, err)
	}
	if n, err := io.Copy(io.Discard, newBounded(io.LimitReader(endless{"- a\n"}, most), most)); n != most || err != nil {
		t.Errorf("what just fits: got %d bytes, %v", n, err)
	}
}
