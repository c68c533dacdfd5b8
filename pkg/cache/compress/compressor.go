package compress

import (
	"bytes"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

const (
	// enough is how many objects there have to be before any is compressed.
	enough = 1000
	// renewed is after how many listed objects a new dictionary is made: a list goes
	// through namespaces whose objects may have little in common.
	renewed = 4096
	// samples is how many objects a dictionary is made of, and every how many an
	// object is one of them.
	samples, sampled = 16, 32
	// maxSample is how much a large object gives to a dictionary.
	maxSample = 8 << 10
	// begins is in how many bytes the beginning of an object is recognized.
	begins = 32
)

// Body is a cache.Body that is decoded from bytes.
type Body interface {
	cache.Body
	// Bytes are what it is decoded from.
	Bytes() Bytes
	// Of returns a Body of the same kind that is decoded from other bytes.
	Of(Bytes) cache.Body
}

// Compressor compresses the objects of one Target, once there are enough of them. It
// may be used by several goroutines.
type Compressor struct {
	mu sync.Mutex
	// seen is how many objects there were, listed how many since the dictionary was
	// made that came in a list.
	seen, listed int
	// recent are objects from which the next dictionary is made, the oldest at next.
	recent [samples][]byte
	next   int
	// dictionary is nil until there are enough objects.
	dictionary *dictionary
}

// After returns a transform that does what another does, and then compresses what
// that has left of a row.
func After(transform func(*cache.Row)) func(*cache.Row) {
	var c Compressor
	return func(row *cache.Row) {
		transform(row)
		c.Compress(row)
	}
}

// Compress has the row keep its Body compressed, where that is less.
func (c *Compressor) Compress(row *cache.Row) {
	body, ok := row.Body.(Body)
	if !ok {
		return
	}
	plain := body.Bytes()
	if plain.by != nil {
		return
	}
	if by := c.dictionaryFor(plain.data, row.Position > 0); by != nil {
		if data := by.compressed(plain.data); data != nil {
			row.Body = body.Of(Bytes{data: data, by: by})
		}
	}
}

// dictionaryFor notes an object, and returns the dictionary to compress it with.
//
// Only lists renew a dictionary. If events did, a few old objects could keep
// any number of dictionaries in memory.
func (c *Compressor) dictionaryFor(data []byte, listed bool) *dictionary {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen%sampled == 0 {
		c.recent[c.next] = data[:min(len(data), maxSample)]
		c.next = (c.next + 1) % samples
	}
	c.seen++
	if listed {
		c.listed++
	}
	if c.dictionary == nil && c.seen > enough || c.listed > renewed {
		c.listed = 0
		c.dictionary = newDictionary(slices.Concat(c.recent[c.next:], c.recent[:c.next]))
	}
	return c.dictionary
}

// dictionary compresses objects that are like those that it was made of.
type dictionary struct {
	table *s2.Dict
	// rooms are *[]byte, for objects that are compressed or read.
	rooms sync.Pool
}

// newDictionary puts the newest objects last, where they are referred to in the
// fewest bytes. It returns nil where there is nothing to refer to.
func newDictionary(objects [][]byte) *dictionary {
	newest := objects[len(objects)-1]
	// The search for how objects begin takes the square of what is searched for.
	table := s2.MakeDict(bytes.Join(objects, nil), newest[:min(len(newest), begins)])
	if table == nil {
		return nil
	}
	return &dictionary{table: table}
}

func (d *dictionary) room() *[]byte {
	if room, ok := d.rooms.Get().(*[]byte); ok {
		return room
	}
	return new([]byte)
}

func (d *dictionary) giveBack(room *[]byte) { d.rooms.Put(room) }

// compressed returns nil where little would be saved.
func (d *dictionary) compressed(data []byte) []byte {
	room := d.room()
	defer d.giveBack(room)
	*room = d.compress(*room, data)
	if len(*room) > len(data)/4*3 {
		return nil
	}
	return bytes.Clone(*room)
}
