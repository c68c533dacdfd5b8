package dump

import (
	"errors"
	"fmt"
)

// DocumentError is why a document could not be read as objects.
type DocumentError struct {
	File string
	// Document and Line count from 1. Documents without content do not count; an
	// item of a list is part of its document. Document is 0 if the file itself
	// could not be read.
	Document, Line int
	Err            error
	// lost is what could be read of the object.
	lost lost
}

// Error names the place and the cause.
func (e *DocumentError) Error() string {
	if e.Document == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s: document %d, line %d: %v", e.File, e.Document, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *DocumentError) Unwrap() error { return e.Err }

// origin is where something was read.
type origin struct {
	file           *file
	document, line int
}

func (o origin) String() string { return fmt.Sprintf("%s, line %d", o.file.name, o.line) }

// fault is an error at the origin.
func (o origin) fault(err error) *DocumentError {
	var of *lostError
	if errors.As(err, &of) {
		return &DocumentError{File: o.file.name, Document: o.document, Line: o.line, Err: err, lost: of.lost}
	}
	return &DocumentError{File: o.file.name, Document: o.document, Line: o.line, Err: err}
}
