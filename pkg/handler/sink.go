package handler

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
)

// sink is where one stream of one run goes.
type sink interface {
	io.Writer
	// finish passes on what has not been passed on yet.
	finish() error
	// close gives back what the sink holds, finished or not.
	close()
}

// maxLine is the length in bytes from which a line is passed on before its end.
const maxLine = 64 << 10

// lines passes output on as it comes, in whole lines, so that a notice of ours
// never lands in the middle of one.
type lines struct {
	to   io.Writer
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	end := bytes.LastIndexAny(p, "\n\r") + 1
	if end == 0 && len(l.rest)+len(p) > maxLine {
		end = len(p)
	}
	if end > 0 {
		whole := slices.Concat(l.rest, p[:end])
		// An abandoned write may still read them, so they are not used again.
		l.rest = nil
		if _, err := l.to.Write(whole); err != nil {
			return 0, err
		}
	}
	l.rest = append(l.rest, p[end:]...)
	return len(p), nil
}

func (l *lines) finish() error {
	_, err := l.to.Write(l.rest)
	return err
}

func (l *lines) close() {}

// maxMemory is how much of a run's output is kept in memory, in bytes; the
// rest goes to a file.
const maxMemory = 256 << 10

// spool keeps output until the run has ended and its turn has come.
type spool struct {
	to     io.Writer
	memory bytes.Buffer
	file   *os.File
	// named says that the file is still to be removed.
	named bool
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) <= maxMemory {
		return s.memory.Write(p)
	}
	if err := s.openFile(); err != nil {
		return 0, err
	}
	n, err := s.file.Write(p)
	return n, kept(err)
}

// openFile makes the file, readable by its owner alone: objects may be in it.
func (s *spool) openFile() error {
	if s.file != nil {
		return nil
	}
	file, err := os.CreateTemp("", "kubectl-informer-")
	if err != nil {
		return kept(err)
	}
	// Where a file can be removed while it is open, it is never left behind.
	s.file, s.named = file, os.Remove(file.Name()) != nil
	return nil
}

func (s *spool) finish() error {
	if _, err := s.to.Write(s.memory.Bytes()); err != nil || s.file == nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return kept(err)
	}
	_, err := io.Copy(s.to, s.file)
	return err
}

func (s *spool) close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.named {
		_ = os.Remove(s.file.Name())
	}
}

// kept says what a failure to keep output is about.
func kept(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("its output could not be kept: %w", err)
}
