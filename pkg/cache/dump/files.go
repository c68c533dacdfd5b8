package dump

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// stdinPath is the path that stands for stdin.
const stdinPath = "-"

// extensions are those of the files that are read of a directory.
func extensions() []string { return []string{".json", ".jsonl", ".yaml", ".yml"} }

// file is one file to be read.
type file struct {
	name string
	open func() (io.ReadCloser, error)
	// stdin says that a program has written it for us: all that is in it should be
	// objects.
	stdin bool
}

// findFiles returns the files that the paths name, in the order of the paths and,
// of a directory, in that of their names.
func findFiles(paths []string, stdin io.Reader) ([]*file, error) {
	var files []*file
	for i, path := range paths {
		if path == stdinPath {
			if slices.Contains(paths[:i], stdinPath) {
				return nil, errors.New("stdin can be read only once")
			}
			open := func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil }
			files = append(files, &file{name: "stdin", open: open, stdin: true})
			continue
		}
		found, err := filesAt(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

func filesAt(path string) ([]*file, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the path %q does not exist", path)
	case err != nil:
		return nil, err
	case info.IsDir():
		return filesBelow(path)
	}
	// A pipe is what a shell makes of <(COMMAND).
	if mode := info.Mode(); !mode.IsRegular() && mode&fs.ModeNamedPipe == 0 && path != os.DevNull {
		return nil, fmt.Errorf("the path %q is %s: only files, directories and pipes are read", path, kindOf(mode))
	}
	return []*file{{name: path, open: func() (io.ReadCloser, error) { return os.Open(path) }}}, nil
}

// errIrregular says that something in a directory is no regular file. A pipe there
// was not meant to be read, and might never have a writer.
var errIrregular = errors.New("not a regular file")

// openRegular opens a file in a directory, or the file that a link there leads to.
func openRegular(name string) (io.ReadCloser, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w, but %s", errIrregular, kindOf(info.Mode()))
	}
	return os.Open(name)
}

// kindOf names what is no regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode.IsDir():
		return "a directory"
	}
	return "a special file"
}

// filesBelow walks a directory. Links to files are followed, links to
// directories are not. What cannot be read is reported when it is opened.
func filesBelow(dir string) ([]*file, error) {
	var files []*file
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Join(dir, filepath.FromSlash(path))
		switch {
		case err != nil:
			files = append(files, &file{name: name, open: func() (io.ReadCloser, error) { return nil, err }})
		case !entry.IsDir() && slices.Contains(extensions(), filepath.Ext(path)) && !isLinkToDirectory(root, path, entry):
			files = append(files, &file{name: name, open: func() (io.ReadCloser, error) { return openRegular(name) }})
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		return nil, fmt.Errorf("error reading %v: recognized file extensions are %v", []string{dir}, extensions())
	}
	return files, err
}

func isLinkToDirectory(root fs.FS, path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := fs.Stat(root, path)
	return err == nil && info.IsDir()
}

// decoded reads UTF-8, with or without a byte order mark, and UTF-16, which
// PowerShell writes into the files that it redirects to.
func decoded(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}
