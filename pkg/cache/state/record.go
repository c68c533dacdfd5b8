package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// A record is one object's value in the file:
//
//	layout   1 byte
//	form     1 byte    cache.Representation
//	packing  1 byte    plain or compressed
//	checksum 4 bytes   of all that follows and of the key
//	columns  4 bytes   the key of the columns that the cells belong to, or 0
//	version  uvarint and text, the resourceVersion
//	object   the rest, as decode.Stored writes it
const (
	layout = 1

	plain      = 0
	compressed = 1

	headerLength = 7
	// packedFrom is the length from which compressing an object saves more than it costs.
	packedFrom = 256
)

// record is a record whose object has not been decoded.
type record struct {
	form            cache.Representation
	packing         byte
	columns         uint32
	resourceVersion string
	object          []byte
}

var (
	errTorn    = errors.New("a record is damaged")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// parseRecord reads a record and checks it. What it returns is valid as long as value.
func parseRecord(key, value []byte) (record, error) {
	if len(value) < headerLength+4 {
		return record{}, errTorn
	}
	if value[0] != layout {
		return record{}, fmt.Errorf("a record has the layout %d, which this version does not know", value[0])
	}
	rest := value[headerLength:]
	if binary.BigEndian.Uint32(value[3:]) != checksum(key, value[:3], rest) {
		return record{}, errTorn
	}
	r := record{form: cache.Representation(value[1]), packing: value[2], columns: binary.BigEndian.Uint32(rest)}
	length, n := binary.Uvarint(rest[4:])
	if n <= 0 || length > uint64(len(rest)-4-n) {
		return record{}, errTorn
	}
	version := rest[4+n:][:length]
	r.resourceVersion, r.object = string(version), rest[4+n+len(version):]
	return r, nil
}

func checksum(parts ...[]byte) (sum uint32) {
	for _, part := range parts {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return sum
}

// packer writes records and reads them. Its coders are safe for use by several
// goroutines.
type packer struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func newPacker() (packer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return packer{}, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	return packer{encoder, decoder}, err
}

func (p packer) close() {
	_ = p.encoder.Close()
	p.decoder.Close()
}

// pack returns the value of a record.
func (p packer) pack(key []byte, r record) []byte {
	value := make([]byte, headerLength, headerLength+len(r.resourceVersion)+16+len(r.object)/2)
	value[0], value[1], value[2] = layout, byte(r.form), plain
	value = binary.BigEndian.AppendUint32(value, r.columns)
	value = binary.AppendUvarint(value, uint64(len(r.resourceVersion)))
	value = append(value, r.resourceVersion...)
	if len(r.object) >= packedFrom {
		value[2] = compressed
		value = p.encoder.EncodeAll(r.object, value)
	} else {
		value = append(value, r.object...)
	}
	binary.BigEndian.PutUint32(value[3:], checksum(key, value[:3], value[headerLength:]))
	return value
}

// unpack returns a copy of a record's object.
func (p packer) unpack(r record) ([]byte, error) {
	if r.packing == compressed {
		return p.decoder.DecodeAll(r.object, nil)
	}
	return append([]byte(nil), r.object...), nil
}
