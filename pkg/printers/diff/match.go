package diff

import (
	"reflect"
	"slices"
	"strconv"
)

// matching is which item of a new list is which of the old one.
type matching struct {
	pairs []pair
	// keys are the fields that tell the items apart; nil where none do.
	keys []string
	// reordered says that items of both lists changed places.
	reordered bool
}

// pair is one item in both states; the side that lacks it is not present.
type pair struct {
	old, now value
	item     *item
}

// matchItems matches by the keys of the list's type, then by those that lists
// have by custom, then by position. A key that items share identifies nothing.
func matchItems(old, now []map[string]any, typeKeys []string) matching {
	if len(typeKeys) > 0 {
		if m, ok := matchByKeys(old, now, typeKeys); ok {
			return m
		}
	}
	for _, key := range [...]string{"name", "key", "type", "id", "uid"} {
		if m, ok := matchByKeys(old, now, []string{key}); ok {
			return m
		}
	}
	return matchByPosition(old, now)
}

func matchByKeys(old, now []map[string]any, keys []string) (matching, bool) {
	before, ok := identities(old, keys)
	if !ok {
		return matching{}, false
	}
	after, ok := identities(now, keys)
	if !ok {
		return matching{}, false
	}
	m := matching{keys: keys}
	filter := filterKey(old, now, keys)
	last := -1
	for i, content := range now {
		p := pair{now: value{content, true}, item: &item{index: i, content: content, keys: keys, filter: filter}}
		if at, found := before[identity(content, keys)]; found {
			p.old = value{old[at], true}
			m.reordered = m.reordered || at < last
			last = at
		}
		m.pairs = append(m.pairs, p)
	}
	for i, content := range old {
		if _, found := after[identity(content, keys)]; !found {
			m.pairs = append(m.pairs, pair{old: value{content, true},
				item: &item{index: i, content: content, keys: keys, filter: filter}})
		}
	}
	return m, true
}

// identities returns where each item is, if the keys tell them all apart.
func identities(items []map[string]any, keys []string) (map[string]int, bool) {
	at := make(map[string]int, len(items))
	for i, content := range items {
		id := identity(content, keys)
		if _, taken := at[id]; taken || id == "" {
			return nil, false
		}
		at[id] = i
	}
	return at, true
}

// identity spells the values of the keys. Some of several may be missing. It is
// empty where all are, or where one is no name: neither text nor an integer.
func identity(content map[string]any, keys []string) string {
	var id []byte
	found := false
	for _, key := range keys {
		switch v := content[key].(type) {
		case string:
			id, found = strconv.AppendQuote(id, v), true
		case int64:
			id, found = strconv.AppendInt(id, v, 10), true
		case nil:
		default:
			return ""
		}
		id = append(id, ',')
	}
	if !found {
		return ""
	}
	return string(id)
}

// filterKey returns the one key by which a JSONPath filter can name each item
// in both lists, since client-go's filters compare one field, and fail where an
// item lacks it or has it in another type. It is empty where there is none.
func filterKey(old, now []map[string]any, keys []string) string {
	for _, key := range keys {
		if isFilterKey(slices.Concat(old, now), key, keys) {
			return key
		}
	}
	return ""
}

func isFilterKey(items []map[string]any, key string, keys []string) bool {
	idOf := make(map[any]string, len(items))
	var kind reflect.Type
	for i, content := range items {
		v := content[key]
		if v == nil || i > 0 && reflect.TypeOf(v) != kind {
			return false
		}
		kind = reflect.TypeOf(v)
		id := identity(content, keys)
		if other, taken := idOf[v]; taken && other != id {
			return false
		}
		idOf[v] = id
	}
	return true
}

// matchByPosition sets the equal items at both ends aside, so that an item that
// came or went in between does not change all that follow.
func matchByPosition(old, now []map[string]any) matching {
	start := 0
	for start < min(len(old), len(now)) && equalMaps(old[start], now[start]) {
		start++
	}
	old, now = old[start:], now[start:]
	for len(old) > 0 && len(now) > 0 && equalMaps(old[len(old)-1], now[len(now)-1]) {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	var m matching
	for i := range max(len(old), len(now)) {
		p := pair{item: &item{index: start + i}}
		if i < len(old) {
			p.old = value{old[i], true}
		}
		if i < len(now) {
			p.now = value{now[i], true}
		}
		m.pairs = append(m.pairs, p)
	}
	return m
}

// mapItems returns the items of both lists, if all are maps.
func mapItems(old, now []any) (a, b []map[string]any, ok bool) {
	if a, ok = asMaps(old); ok {
		b, ok = asMaps(now)
	}
	return a, b, ok
}

func asMaps(items []any) ([]map[string]any, bool) {
	maps := make([]map[string]any, len(items))
	for i := range items {
		m, ok := items[i].(map[string]any)
		if !ok {
			return nil, false
		}
		maps[i] = m
	}
	return maps, true
}
