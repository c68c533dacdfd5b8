package state

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"go.etcd.io/bbolt"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/decode"
)

// The parts of a Target's bucket.
var (
	bucketObjects     = []byte("objects")
	bucketUnconfirmed = []byte("unconfirmed")
	keyComplete       = []byte("complete")
)

// Section is what a file has of one Target.
type Section struct {
	file   *File
	target cache.Target
	key    []byte
	codec  *decode.Stored

	earlier cache.Earlier
	// common are the parts that all records have.
	common cache.Representation

	mu sync.Mutex // guards what follows
	// columns are those that records refer to, written those that are in the file.
	columns map[uint32]*cache.Columns
	written map[*cache.Columns]uint32
	// err is the first record that could not be read.
	err error
}

// addSection reads what there is of a Target.
func (f *File) addSection(target cache.Target) error {
	s := &Section{
		file: f, target: target, key: storedOf(target).key(), codec: decode.NewStored(target.Kind), common: ^cache.Representation(0),
		columns: map[uint32]*cache.Columns{}, written: map[*cache.Columns]uint32{},
	}
	s.earlier.Load = s.load
	f.sections[string(s.key)] = s
	return f.db.View(s.read)
}

// Section is that of one of the question's Targets.
func (f *File) Section(target cache.Target) *Section {
	return f.sections[string(storedOf(target).key())]
}

// Earlier is what earlier runs have reported of the Target.
func (s *Section) Earlier() *cache.Earlier { return &s.earlier }

// Has says whether every object is stored with all parts of a form.
func (s *Section) Has(form cache.Representation) bool { return s.common.Has(form) }

// Err is why an object that Earlier's Load was asked for could not be read.
func (s *Section) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *Section) read(tx *bbolt.Tx) error {
	b := tx.Bucket(bucketTypes).Bucket(s.key)
	if b == nil {
		return nil
	}
	objects, unconfirmed := b.Bucket(bucketObjects), b.Bucket(bucketUnconfirmed)
	if objects == nil || unconfirmed == nil {
		return fmt.Errorf("what it has of %s is not complete", s.target)
	}
	s.earlier.Complete = b.Get(keyComplete) != nil
	waiting := map[string]bool{}
	if err := unconfirmed.ForEach(func(key, _ []byte) error { waiting[string(key)] = true; return nil }); err != nil {
		return err
	}
	return objects.ForEach(func(key, value []byte) error {
		r, err := parseRecord(key, value)
		if err != nil {
			return err
		}
		id, err := parseKey(string(key))
		if err != nil {
			return err
		}
		s.common &= r.form
		s.earlier.Objects = append(s.earlier.Objects, cache.Stored{Identity: id, ResourceVersion: r.resourceVersion, Unconfirmed: waiting[string(key)]})
		return s.readColumns(tx, r.columns)
	})
}

// readColumns reads the columns that a record's cells belong to, once.
func (s *Section) readColumns(tx *bbolt.Tx, id uint32) error {
	if id == 0 || s.columns[id] != nil {
		return nil
	}
	columns := &cache.Columns{}
	if err := json.Unmarshal(tx.Bucket(bucketColumns).Get(columnsKey(id)), columns); err != nil {
		return fmt.Errorf("the columns of a record cannot be read: %w", err)
	}
	s.columns[id] = columns
	return nil
}

func columnsKey(id uint32) []byte { return binary.BigEndian.AppendUint32(nil, id) }

// The parts of an object's key are separated by what no name and no uid holds.
const keySeparator = "\x00"

func keyOf(id cache.Identity) []byte {
	key := strings.Join([]string{id.Namespace, id.Name, string(id.UID)}, keySeparator)
	if id.Namesake > 0 {
		key += keySeparator + strconv.Itoa(id.Namesake)
	}
	return []byte(key)
}

func parseKey(key string) (id cache.Identity, err error) {
	parts := strings.Split(key, keySeparator)
	switch len(parts) {
	case 3:
	case 4:
		if id.Namesake, err = strconv.Atoi(parts[3]); err != nil {
			return id, errors.New("the key of a record is damaged")
		}
	default:
		return id, errors.New("the key of a record is damaged")
	}
	id.Namespace, id.Name, id.UID = parts[0], parts[1], types.UID(parts[2])
	return id, nil
}

// load returns an object as it was reported. Where it cannot be read any more, it is a
// row with a name alone, and Err says so: nothing is reported then.
func (s *Section) load(id cache.Identity) *cache.Row {
	var row *cache.Row
	err := s.file.guarded(func() error {
		return s.file.db.View(func(tx *bbolt.Tx) (err error) {
			row, err = s.loadFrom(tx, id)
			return err
		})
	})
	if err != nil {
		s.fail(s.file.damaged(err))
		row = &cache.Row{}
		row.APIVersion, row.Kind = s.target.Kind.ToAPIVersionAndKind()
		row.Namespace, row.Name, row.UID = id.Namespace, id.Name, id.UID
	}
	row.Namesake = id.Namesake
	return row
}

func (s *Section) loadFrom(tx *bbolt.Tx, id cache.Identity) (*cache.Row, error) {
	b := tx.Bucket(bucketTypes).Bucket(s.key)
	if b == nil {
		return nil, errTorn
	}
	key := keyOf(id)
	r, err := parseRecord(key, b.Bucket(bucketObjects).Get(key))
	if err != nil {
		return nil, err
	}
	object, err := s.file.packer.unpack(r)
	if err != nil {
		return nil, err
	}
	row, err := s.codec.Read(object)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	row.Columns = s.columns[r.columns]
	return row, nil
}

func (s *Section) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// putColumns writes columns that are not in the file yet, and returns their key, which
// is made of their contents. Of two columns of one key, the second takes the next one.
func (s *Section) putColumns(tx *bbolt.Tx, columns *cache.Columns) (uint32, error) {
	if columns == nil {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.written[columns]; ok {
		return id, nil
	}
	text, err := json.Marshal(columns)
	if err != nil {
		return 0, err
	}
	b := tx.Bucket(bucketColumns)
	id := max(checksum(text), 1)
	for there := b.Get(columnsKey(id)); there != nil && !bytes.Equal(there, text); there = b.Get(columnsKey(id)) {
		id = max(id+1, 1)
	}
	return id, b.Put(columnsKey(id), text)
}
