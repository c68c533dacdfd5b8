package dump

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
)

// Read reads the objects in files, in directories with all that is below them,
// and, where a path is "-", in stdin.
//
// Files hold JSON or YAML, of one or many documents; of a directory those are
// read that end in .json, .jsonl, .yaml or .yml. A document is an object, a list
// of objects (List, PodList, an array), or a watch event, of which the last
// state of each object counts. Of an object that is there more than once in one
// version the one with the later resourceVersion is taken, or the one read last.
//
// Without a Dump the error says that a path cannot be read at all, or is that of
// ctx. Devices and sockets cannot be read, and of directories only regular files
// are; a pipe has to be named itself. With a Dump it joins a DocumentError for each document, or file below a
// directory, that is at fault; the Dump holds the rest. In a directory, what is
// no Kubernetes object is a warning, not an error.
func Read(ctx context.Context, paths []string, stdin io.Reader) (*Dump, error) {
	files, err := findFiles(paths, stdin)
	if err != nil {
		return nil, err
	}
	found := newCollection()
	for document := range decodeInOrder(ctx, pieces(files)) {
		found.add(document)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	dump, err := newDump(found)
	if err != nil {
		return nil, err
	}
	return dump, errors.Join(found.faults...)
}

// decodeInOrder decodes pieces on all processors, and yields what is found in
// the order of the pieces. It ends early with ctx: then what waits for a reader
// such as stdin ends when that does.
func decodeInOrder(ctx context.Context, pieces iter.Seq[piece]) iter.Seq[*document] {
	return func(yield func(*document) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		waiting := make(chan chan *document, runtime.GOMAXPROCS(0))
		go func() {
			defer close(waiting)
			for piece := range pieces {
				decoded := make(chan *document, 1)
				select {
				case waiting <- decoded:
				case <-ctx.Done():
					return
				}
				go func() { decoded <- piece.decode() }()
			}
		}()
		for {
			select {
			case decoded, ok := <-waiting:
				if !ok || !yield(<-decoded) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// pieces reads files, one after the other.
func pieces(files []*file) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		for _, file := range files {
			f := &fileReader{file: file, emit: func(p piece) error {
				if !yield(p) {
					return errStopped
				}
				return nil
			}}
			err := f.read()
			if errors.Is(err, errStopped) {
				return
			}
			if err != nil && !yield(piece{err: &DocumentError{File: file.name, Err: err}, origin: origin{file: file}}) {
				return
			}
		}
	}
}

// errStopped says that nobody wants more pieces.
var errStopped = errors.New("stopped")

// fileReader reads the documents of one file.
type fileReader struct {
	file *file
	// document is how many documents have been begun.
	document int
	// emit passes a piece on. Its only error is errStopped.
	emit func(piece) error
}

func (f *fileReader) read() error {
	opened, err := f.file.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	readable, err := text(decoded(newBounded(opened, largest)))
	if err != nil {
		return err
	}
	sections := newSections(readable)
	for {
		line, more := sections.next()
		if !more {
			return ignoreEOF(sections.err)
		}
		section := bufio.NewReader(sections)
		if isJSON(section) {
			err = f.readJSON(section, line)
		} else {
			err = f.readYAML(section, line)
		}
		if err != nil {
			return err
		}
	}
}

// readYAML reads a section that begins on the given line: one document, or none.
func (f *fileReader) readYAML(section io.Reader, line int) error {
	text, err := io.ReadAll(section)
	if err != nil {
		return err
	}
	if !hasContent(text) {
		return nil
	}
	f.document++
	whole := piece{origin: origin{f.file, f.document, line}, form: inYAML, text: text}
	parts := []piece{whole}
	if len(text) > wholeYAML {
		if items := whole.parts(); len(items) > 0 {
			parts = items
		}
	}
	for _, part := range parts {
		if err := f.emit(part); err != nil {
			return err
		}
	}
	return nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
