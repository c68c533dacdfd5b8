package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Error is what is wrong with a file, and what can be done about it.
type Error struct {
	Path string
	Err  error
	// Advice is what to do next; empty where the error says it.
	Advice string
}

// Error names the file.
func (e *Error) Error() string {
	text := fmt.Sprintf("the state file %s %v", e.Path, e.Err)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// What there is to do about a file that is not what it should be. Nothing is ever begun
// anew without being asked: all objects would be reported again, and deletions never.
const (
	adviceOther   = "name another FILE, or delete this one to begin anew"
	adviceDamaged = "restore it from a copy, or delete it to begin anew"
)

// cannot is what could not be done, without the path, which is in the Error.
func cannot(do string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = link.Err
	}
	return fmt.Errorf("cannot %s: %w", do, err)
}

func (f *File) foreign(err error) error {
	return &Error{Path: f.path, Err: fmt.Errorf("is not a state of kubectl informer, or is damaged: %w", err), Advice: adviceOther}
}

func (f *File) damaged(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return &Error{Path: f.path, Err: fmt.Errorf("is damaged: %w", err), Advice: adviceDamaged}
}
