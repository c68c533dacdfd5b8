package state

import (
	"errors"
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Journal writes what is reported to a File. What is noted while a transaction is under
// way waits for the next one, which takes all of it. It is safe for use by several
// goroutines.
type Journal struct {
	file *File
	// broken is called with the first error, once.
	broken func(error)

	mu      sync.Mutex // guards what follows
	waiting batch
	closed  bool
	err     error

	committing sync.Mutex
	wake       chan struct{}
	ended      chan struct{}
}

// NewJournal returns a journal that writes from now on until it is closed. broken is
// called, once and from another goroutine, when the file cannot be written any more.
func NewJournal(file *File, broken func(error)) *Journal {
	j := &Journal{file: file, broken: broken, waiting: newBatch(), wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go j.run()
	return j
}

// errClosed is what a journal says that is written to after its end.
var errClosed = errors.New("the state has been closed")

func newBatch() batch { return batch{changes: map[cache.ObjectKey]Change{}} }

// run writes whenever it is woken, until the journal is closed.
func (j *Journal) run() {
	defer close(j.ended)
	for range j.wake {
		_ = j.Commit() // broken has been called with the error
	}
}

// Later notes changes that are written with what is written next.
func (j *Journal) Later(changes ...Change) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, change := range changes {
		j.waiting.add(change)
	}
}

// Note notes changes that are written, with all that waits, as soon as possible.
func (j *Journal) Note(changes ...Change) {
	j.Later(changes...)
	j.rouse()
}

// Complete notes that the first list of a Target has been reported: as soon as
// possible, but not before what was noted so far.
func (j *Journal) Complete(target cache.Target) {
	j.mu.Lock()
	j.waiting.complete = append(j.waiting.complete, target)
	j.mu.Unlock()
	j.rouse()
}

func (j *Journal) rouse() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// add merges a change with what waits of the same object.
func (b batch) add(change Change) {
	if prior, ok := b.changes[change.Key]; ok && change.Row == nil && !change.Gone && !prior.Gone {
		change.Row, change.Form = prior.Row, prior.Form
	}
	b.changes[change.Key] = change
}

// Commit writes all that waits, and returns when it is on disk. After an error nothing
// more is written.
func (j *Journal) Commit() error {
	j.committing.Lock()
	defer j.committing.Unlock()
	j.mu.Lock()
	taken, err := j.waiting, j.err
	if err == nil {
		j.waiting = newBatch()
	}
	j.mu.Unlock()
	if err != nil || len(taken.changes) == 0 && len(taken.complete) == 0 {
		return err
	}
	if err = j.file.write(taken); err == nil {
		return nil
	}
	j.mu.Lock()
	j.err = err
	j.mu.Unlock()
	j.broken(err)
	return err
}

// Err is why the file cannot be written any more, or an object in it not be read.
func (j *Journal) Err() error {
	j.mu.Lock()
	err := j.err
	j.mu.Unlock()
	if err != nil {
		return err
	}
	for _, section := range j.file.sections {
		if err := section.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what waits, and closes the file. What is noted later is not written.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	close(j.wake)
	j.mu.Unlock()
	<-j.ended
	err := j.Commit()
	j.mu.Lock()
	if j.err == nil {
		j.err = errClosed
	}
	j.mu.Unlock()
	if closing := j.file.Close(); err == nil && closing != nil {
		err = &Error{Path: j.file.path, Err: cannot("be closed", closing)}
	}
	return err
}
