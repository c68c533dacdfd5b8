package compress

import (
	"bytes"

	"github.com/klauspost/compress/s2"
)

// Bytes are what one object is decoded from, compressed or not. They are never
// changed, and may be read by several goroutines.
type Bytes struct {
	data []byte
	// by is nil for bytes that are not compressed.
	by *dictionary
}

// Plain are bytes as they are. They must not be changed any more.
func Plain(data []byte) Bytes { return Bytes{data: data} }

// Get returns the bytes, which may be shared: nobody changes them. An error means
// that memory was damaged.
func (b Bytes) Get() ([]byte, error) {
	if b.by == nil {
		return b.data, nil
	}
	return b.by.open(nil, b.data)
}

// Len is how many bytes are kept.
func (b Bytes) Len() int { return len(b.data) }

// Read hands the bytes to read, which keeps no part of them: room for them is used
// again. It is cheaper than Get.
func (b Bytes) Read(read func(data []byte) error) error {
	if b.by == nil {
		return read(b.data)
	}
	room := b.by.rooms.get()
	defer b.by.rooms.giveBack(room)
	data, err := b.by.open((*room)[:0], b.data)
	if err != nil {
		return err
	}
	*room = data
	return read(data)
}

// Equal says whether both are the same bytes, however they are kept.
func (b Bytes) Equal(other Bytes) bool {
	if b.by == other.by && bytes.Equal(b.data, other.data) {
		return true
	}
	mine, err := b.Get()
	if err != nil {
		return false
	}
	theirs, err := other.Get()
	return err == nil && bytes.Equal(mine, theirs)
}

// maxWithDictionary is how much of an object can refer to a dictionary.
const maxWithDictionary = s2.MaxDictSrcOffset

// open decompresses data into room, or into new memory where that is too small.
func (d *dictionary) open(room, data []byte) ([]byte, error) {
	if n, err := s2.DecodedLen(data); err != nil || n > maxWithDictionary {
		return s2.Decode(room[:cap(room)], data)
	}
	return d.content.Decode(room, data)
}
