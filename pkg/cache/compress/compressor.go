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
	// renewed is after how many listed objects a new dictionary is made. A list is in the
	// order of namespaces and names: the objects of one owner follow each other, and have
	// most in common with what came just before them.
	renewed = 512
	// samples is how many objects a dictionary is made of, and every how many an
	// object is one of them.
	samples, sampled = 8, 16
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
	// encoder is nil until there are enough objects.
	encoder *encoder
	rooms   rooms
}

// After returns a transform that does what another does, and then packs and compresses
// what that has left of a row.
func After(transform func(*cache.Row)) func(*cache.Row) {
	var c Compressor
	return func(row *cache.Row) {
		transform(row)
		row.Pack()
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
	if with := c.encoderFor(plain.data, row.Position > 0); with != nil {
		if data := with.compressed(plain.data); data != nil {
			row.Body = body.Of(Bytes{data: data, by: with.dictionary})
		}
	}
}

// encoderFor notes an object, and returns what to compress it with.
//
// Only lists renew a dictionary. If events did, a few old objects could keep
// any number of dictionaries in memory.
func (c *Compressor) encoderFor(data []byte, listed bool) *encoder {
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
	if c.seen > enough && (c.encoder == nil || c.listed > renewed) {
		c.listed = 0
		c.encoder = newEncoder(slices.Concat(c.recent[c.next:], c.recent[:c.next]), &c.rooms)
	}
	return c.encoder
}

// dictionary opens what was compressed with it.
type dictionary struct {
	content *s2.Dict
	rooms   *rooms
}

// encoder compresses with a dictionary. Its copy of that has a table of what is where in
// it, of 32 KB, which ends with the encoder: the dictionary stays as long as an object
// needs it.
type encoder struct {
	*dictionary
	table *s2.Dict
}

// newEncoder puts the newest objects last, where they are referred to in the
// fewest bytes. It returns nil where there is nothing to refer to.
func newEncoder(objects [][]byte, rooms *rooms) *encoder {
	newest := objects[len(objects)-1]
	// The search for how objects begin takes the square of what is searched for.
	table := s2.MakeDict(bytes.Join(objects, nil), newest[:min(len(newest), begins)])
	if table == nil {
		return nil
	}
	return &encoder{dictionary: &dictionary{content: s2.NewDict(table.Bytes()), rooms: rooms}, table: table}
}

// compressed returns nil where little would be saved.
func (e *encoder) compressed(data []byte) []byte {
	room := e.rooms.get()
	defer e.rooms.giveBack(room)
	*room = e.compress(*room, data)
	if len(*room) > len(data)/4*3 {
		return nil
	}
	return bytes.Clone(*room)
}

// compress returns data compressed, in room where that is large enough.
func (e *encoder) compress(room, data []byte) []byte {
	if len(data) > maxWithDictionary {
		return s2.Encode(room[:cap(room)], data)
	}
	return e.table.Encode(room, data)
}

// rooms are for objects that are compressed or read, one after the other.
type rooms struct{ pool sync.Pool } // of *[]byte

func (r *rooms) get() *[]byte {
	if room, ok := r.pool.Get().(*[]byte); ok {
		return room
	}
	return new([]byte)
}

func (r *rooms) giveBack(room *[]byte) { r.pool.Put(room) }
