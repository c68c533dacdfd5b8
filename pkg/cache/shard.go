package cache

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/sharding"
)

// Shard is one of several equal parts of all objects: those whose uid has its hash in
// one range. It is comparable; the zero value is all objects.
//
// Hash and ranges are those of the API server's shard selector (KEP 5866), so that a
// server that selects by it gives exactly the objects of the Shard.
type Shard struct {
	// start and end are the range, in the text of the shard selector; end is outside.
	start, end string
}

// shardKey is what the hash is taken of, as the shard selector names it.
const shardKey = "object.metadata.uid"

// ParseShard reads I/N: the Ith of N shards, counted from 0 as the indexes of Jobs
// and the ordinals of StatefulSets are.
func ParseShard(text string) (Shard, error) {
	first, second, ok := strings.Cut(text, "/")
	index, err1 := strconv.ParseUint(first, 10, 31)
	count, err2 := strconv.ParseUint(second, 10, 31)
	switch {
	case !ok || err1 != nil || err2 != nil || count == 0:
		return Shard{}, fmt.Errorf("%q is not I/N, such as 0/3: the first of three shards", text)
	case index >= count:
		return Shard{}, fmt.Errorf("there is no shard %d of %d: they are counted from 0, the last is %d/%d", index, count, count-1, count)
	case count == 1:
		return Shard{}, nil
	}
	return Shard{start: bound(index, count), end: bound(index+1, count)}, nil
}

// bound is where the hashes of a shard begin, of 2^64 hashes in equal shards.
func bound(index, count uint64) string {
	hash := new(big.Int).Lsh(new(big.Int).SetUint64(index), 64)
	return fmt.Sprintf("0x%016x", hash.Div(hash, new(big.Int).SetUint64(count)))
}

// IsAll says whether the Shard holds all objects.
func (s Shard) IsAll() bool { return s == Shard{} }

// Selector is the Shard as the server takes it; empty for all objects.
func (s Shard) Selector() string {
	if s.IsAll() {
		return ""
	}
	return sharding.NewSelector(sharding.ShardRangeRequirement{Key: shardKey, Start: s.start, End: s.end}).String()
}

// Holds says whether an object belongs to the Shard. One that its server gives no uid
// goes by its namespace and name.
func (s Shard) Holds(row *Row) bool {
	if s.IsAll() {
		return true
	}
	identity := string(row.UID)
	if identity == "" {
		identity = row.Namespace + "/" + row.Name
	}
	hash := "0x" + sharding.HashField(identity)
	return !sharding.HexLess(hash, s.start) && sharding.HexLess(hash, s.end)
}
