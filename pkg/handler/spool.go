package handler

import (
	"bytes"
	"fmt"
	"io"

	"github.com/kubectl-informer/kubectl-informer/pkg/tempfile"
)

// limits are how much is kept of one stream of a run until its turn comes, in bytes.
type limits struct {
	// memory is what is kept without a file, which holds what is more.
	memory, file int
	// fileless is what is kept in memory where there can be no file.
	fileless int
}

// defaultLimits bound what a flood of output takes from memory and disk.
func defaultLimits() limits { return limits{memory: 256 << 10, file: 64 << 20, fileless: 4 << 20} }

// spool keeps output until the turn of its run has come: when the run has ended,
// or when more has come than may be kept. The process then waits at a pipe that
// is full, and from its turn on its output is passed on as it comes.
type spool struct {
	to     lines
	turn   *turn
	limits limits
	memory bytes.Buffer
	file   *tempfile.File
	inFile int
	// passing says that what was kept has been passed on.
	passing bool
}

func (s *spool) Write(p []byte) (int, error) {
	kept := 0
	if !s.passing {
		if kept = s.keep(p); kept == len(p) {
			return kept, nil
		}
		if err := s.turn.take(); err != nil {
			return kept, err
		}
		if err := s.pass(); err != nil {
			return kept, err
		}
	}
	n, err := s.to.Write(p[kept:])
	return kept + n, err
}

// keep keeps p, or as much of its beginning as there is room for: nothing is
// lost where a file cannot be made or the disk is full.
func (s *spool) keep(p []byte) int {
	room := s.limits.memory - s.memory.Len()
	if s.file == nil && len(p) > room {
		var err error
		if s.file, err = tempfile.New(); err != nil {
			room = max(0, s.limits.fileless-s.memory.Len())
		}
	}
	if s.file == nil {
		n, _ := s.memory.Write(p[:min(len(p), room)]) // it never fails
		return n
	}
	n, _ := s.file.Write(p[:min(len(p), s.limits.file-s.inFile)]) // what it does not take waits
	s.inFile += n
	return n
}

// pass passes on what was kept, and gives back the room that it took.
func (s *spool) pass() error {
	if s.passing {
		return nil
	}
	s.passing = true
	if _, err := s.to.Write(s.memory.Bytes()); err != nil {
		return err
	}
	s.memory = bytes.Buffer{}
	if s.file == nil {
		return nil
	}
	defer s.close()
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("its output could not be kept: %w", err)
	}
	_, err := io.Copy(&s.to, s.file)
	return err
}

func (s *spool) finish() error {
	if err := s.pass(); err != nil {
		return err
	}
	return s.to.finish()
}

func (s *spool) close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	s.file = nil
}
