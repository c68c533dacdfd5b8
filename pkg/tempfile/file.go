// Package tempfile keeps output until it may be passed on: what is too much for
// memory in a temporary file.
package tempfile

import "os"

// File is a temporary file that only its owner can read: objects may be in it.
type File struct {
	*os.File
	// named says that the file is still to be removed.
	named bool
}

// New makes a file in the folder for temporary files.
func New() (*File, error) {
	file, err := os.CreateTemp("", "kubectl-informer-")
	if err != nil {
		return nil, err
	}
	// Where a file can be removed while it is open, it is never left behind.
	return &File{File: file, named: os.Remove(file.Name()) != nil}, nil
}

// Close closes the file and removes it.
func (f *File) Close() error {
	err := f.File.Close()
	if f.named {
		_ = os.Remove(f.Name())
	}
	return err
}
