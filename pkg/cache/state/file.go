package state

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// The buckets of a file, and what is in the first. Columns are shared by many records.
var (
	bucketAbout   = []byte("about")
	bucketTypes   = []byte("types")
	bucketColumns = []byte("columns")
)

const (
	keyFormat   = "format"
	keyQuestion = "question"
	// format is that of the whole file.
	format = "kubectl-informer state 1"
)

// lockTimeout is how long another process may hold the file before that is an error:
// it may be one that is just ending.
const lockTimeout = 2 * time.Second

// File is the state of one question. It is locked against other processes.
type File struct {
	path     string
	db       *bbolt.DB
	question about
	packer   packer
	sections map[string]*Section
	// questionWritten says that the question as it is now is in the file.
	questionWritten bool
}

// Open opens the file of a question, or creates it. The caller closes it.
func Open(path string, q Question) (*File, error) {
	f := &File{path: path, sections: map[string]*Section{}}
	there, err := isThere(path)
	if err == nil && !there {
		err = create(path, q)
	}
	if err != nil {
		return nil, err
	}
	if err := f.open(q); err != nil {
		f.abandon()
		return nil, err
	}
	return f, nil
}

// open opens a file that is there, and checks all of it.
func (f *File) open(q Question) (err error) {
	if f.packer, err = newPacker(); err != nil {
		return err
	}
	if err := f.openStore(); err != nil {
		return err
	}
	if err := f.guarded(func() error { return f.db.View(f.check) }); err != nil {
		return f.damaged(err)
	}
	now := q.about()
	if difference := f.question.differs(now, q.Unresolved); difference != "" {
		return &Error{Path: f.path, Err: errors.New("is not of this question: " + difference), Advice: adviceOther}
	}
	merged := f.question.merged(now)
	f.questionWritten = reflect.DeepEqual(merged, f.question)
	f.question = merged
	return f.guarded(func() error {
		for _, target := range q.Targets {
			if err := f.addSection(target); err != nil {
				return f.damaged(err)
			}
		}
		return nil
	})
}

// openStore opens bbolt's file, which must be the one that isThere has looked at.
func (f *File) openStore() error {
	o := options()
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		return os.OpenFile(name, flag&^os.O_CREATE, mode)
	}
	err := f.guarded(func() (err error) {
		f.db, err = bbolt.Open(f.path, 0o600, o)
		return err
	})
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bolterrors.ErrTimeout):
		return &Error{Path: f.path, Err: errors.New("is in use by another process"), Advice: "wait for its end, or name another FILE"}
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return f.foreign(err)
	case errors.As(err, &path):
		return &Error{Path: f.path, Err: cannot("be opened", err)}
	default:
		return f.damaged(err)
	}
}

// check reads all of a file: first by ourselves, where a fault is an error; then bbolt
// does in a goroutine of its own, where it would be the end of the process.
func (f *File) check(tx *bbolt.Tx) error {
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	if info.Size() < tx.Size() {
		return fmt.Errorf("it is cut off: %d of at least %d bytes are there", info.Size(), tx.Size())
	}
	abouts := tx.Bucket(bucketAbout)
	if abouts == nil || tx.Bucket(bucketTypes) == nil || tx.Bucket(bucketColumns) == nil {
		return f.foreign(errors.New("it has other contents"))
	}
	if found := string(abouts.Get([]byte(keyFormat))); found != format {
		return f.foreign(fmt.Errorf("its format is %s", strconv.Quote(found)))
	}
	if err := json.Unmarshal(abouts.Get([]byte(keyQuestion)), &f.question); err != nil {
		return err
	}
	if err := tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return visit(b) }); err != nil {
		return err
	}
	var damage error
	for found := range tx.Check() { // to the end: it reads what the transaction holds
		damage = cmp.Or(damage, found)
	}
	return damage
}

// visit reads all keys below a bucket.
func visit(b *bbolt.Bucket) error {
	return b.ForEach(func(key, value []byte) error {
		if value != nil {
			return nil
		}
		below := b.Bucket(key)
		if below == nil {
			return fmt.Errorf("the bucket %q has no contents", key)
		}
		return visit(below)
	})
}

// guarded runs what reads or writes the file, and makes errors of panics. bbolt trusts
// its pages: a damaged one leads it to addresses that are not mapped, and a file that
// is cut off while it is open to pages that are no more. Without SetPanicOnFault, which
// is for one goroutine, either would be the end of the process.
func (f *File) guarded(do func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%v", caught)
		}
	}()
	return do()
}

// Close gives the file back.
func (f *File) Close() error {
	f.packer.close()
	return f.guarded(f.db.Close)
}

// Path is the file's name, as it was given.
func (f *File) Path() string { return f.path }

// abandon closes what could not be opened as a whole.
func (f *File) abandon() {
	if f.packer.decoder != nil {
		f.packer.close()
	}
	if f.db != nil {
		_ = f.guarded(f.db.Close)
	}
}
