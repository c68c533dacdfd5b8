package state

import (
	"errors"

	"go.etcd.io/bbolt"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Change is what is to be written of one object.
type Change struct {
	Key cache.ObjectKey
	// Row is the object as it is reported; nil leaves what is stored of it as it is.
	Row *cache.Row
	// Form is that of Row.
	Form cache.Representation
	// Unconfirmed says that it is about to be reported, and is not yet.
	Unconfirmed bool
	// Gone says that its end has been reported: nothing is stored of it any more.
	Gone bool
}

// errNothing rolls back a transaction that has changed nothing, which spares the disk.
var errNothing = errors.New("nothing to write")

// batch is what is written together.
type batch struct {
	changes map[cache.ObjectKey]Change
	// complete are the Targets whose first list has been reported.
	complete []cache.Target
}

// write writes a batch in one transaction: all of it is in the file, or nothing.
func (f *File) write(b batch) error {
	err := f.guarded(func() error {
		return f.db.Update(func(tx *bbolt.Tx) error {
			w := writer{file: f, tx: tx}
			return w.write(b)
		})
	})
	switch {
	case err == nil || errors.Is(err, errNothing):
		return nil
	default:
		return &Error{Path: f.path, Err: cannot("be written", err), Advice: "what has been reported since is reported again by the next run"}
	}
}

// writer is one transaction.
type writer struct {
	file    *File
	tx      *bbolt.Tx
	changed bool
	// columns are those that the transaction has written.
	columns []func()
}

func (w *writer) write(b batch) error {
	sections := map[cache.Target]*parts{}
	for key, change := range b.changes {
		if sections[key.Target] == nil {
			opened, err := w.parts(key.Target)
			if err != nil {
				return err
			}
			sections[key.Target] = opened
		}
		if err := w.apply(sections[key.Target], keyOf(key.Identity), change); err != nil {
			return err
		}
	}
	for _, target := range b.complete {
		if err := w.complete(target); err != nil {
			return err
		}
	}
	if !w.changed {
		return errNothing
	}
	w.tx.OnCommit(func() {
		for _, note := range w.columns {
			note()
		}
	})
	return nil
}

// parts are the buckets of a Target.
type parts struct {
	section              *Section
	objects, unconfirmed *bbolt.Bucket
}

// fillPercent is how full a page of records is left: most come in the order of their
// keys, from a list.
const fillPercent = 0.9

func (w *writer) parts(target cache.Target) (*parts, error) {
	s := w.file.Section(target)
	if s == nil {
		return nil, errors.New("there is no room for " + target.String())
	}
	b, err := w.tx.Bucket(bucketTypes).CreateBucketIfNotExists(s.key)
	if err != nil {
		return nil, err
	}
	p := &parts{section: s}
	if p.objects, err = b.CreateBucketIfNotExists(bucketObjects); err != nil {
		return nil, err
	}
	p.unconfirmed, err = b.CreateBucketIfNotExists(bucketUnconfirmed)
	p.objects.FillPercent = fillPercent
	return p, err
}

func (w *writer) apply(p *parts, key []byte, change Change) error {
	if change.Gone {
		return w.remove(p, key)
	}
	if change.Row != nil {
		if err := w.put(p, key, change); err != nil {
			return err
		}
	}
	marked := p.unconfirmed.Get(key) != nil
	switch {
	case change.Unconfirmed && !marked && p.objects.Get(key) != nil:
		w.changed = true
		return p.unconfirmed.Put(key, []byte{1})
	case !change.Unconfirmed && marked:
		w.changed = true
		return p.unconfirmed.Delete(key)
	}
	return nil
}

func (w *writer) remove(p *parts, key []byte) error {
	if p.objects.Get(key) == nil {
		return nil
	}
	w.changed = true
	return errors.Join(p.objects.Delete(key), p.unconfirmed.Delete(key))
}

// put writes a record, unless the same is there.
func (w *writer) put(p *parts, key []byte, change Change) error {
	row := change.Row
	if there := p.objects.Get(key); there != nil && row.ResourceVersion != "" {
		r, err := parseRecord(key, there)
		if err != nil {
			return err
		}
		if r.resourceVersion == row.ResourceVersion && r.form == change.Form {
			return nil
		}
	}
	columns, err := p.section.putColumns(w.tx, row.Columns)
	if err != nil {
		return err
	}
	if columns != 0 {
		w.columns = append(w.columns, func() { p.section.wroteColumns(row.Columns, columns) })
	}
	object, err := p.section.codec.Append(nil, row)
	if err != nil {
		return err
	}
	w.changed = true
	return p.objects.Put(key, w.file.packer.pack(key, record{
		form: change.Form, columns: columns, resourceVersion: row.ResourceVersion, object: object,
	}))
}

// wroteColumns notes that columns are in the file.
func (s *Section) wroteColumns(columns *cache.Columns, id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns[id], s.written[columns] = columns, id
}

// complete notes that all of a Target's first list has been reported.
func (w *writer) complete(target cache.Target) error {
	if _, err := w.parts(target); err != nil {
		return err
	}
	b := w.tx.Bucket(bucketTypes).Bucket(w.file.Section(target).key)
	if b.Get(keyComplete) == nil {
		w.changed = true
		if err := b.Put(keyComplete, []byte{1}); err != nil {
			return err
		}
	}
	if w.file.questionWritten {
		return nil
	}
	w.changed = true
	w.tx.OnCommit(func() { w.file.questionWritten = true })
	return writeQuestion(w.tx, w.file.question)
}
