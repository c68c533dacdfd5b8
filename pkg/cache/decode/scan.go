package decode

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// The functions of this file go through JSON without decoding it, in a fraction of the
// time that a decoder takes. They take where something begins, and return where it ends, or
// no: then it is broken, goes on behind the end of the text, or is so deep that who wants to
// know has to ask a decoder.
const (
	no = -1
	// deepest is how deep values may be within each other.
	deepest = 500
)

// spaceEnd is where white space ends that may be there.
func spaceEnd(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
		at++
	}
	return at
}

func isByte(text []byte, at int, b byte) bool { return at >= 0 && at < len(text) && text[at] == b }

// valueEnd is where a value ends.
func valueEnd(text []byte, at, depth int) int {
	if at < 0 || at >= len(text) || depth > deepest {
		return no
	}
	switch text[at] {
	case '"':
		return stringEnd(text, at)
	case '{', '[':
		return elementsEnd(text, at, depth)
	case 't':
		return wordEnd(text, at, "true")
	case 'f':
		return wordEnd(text, at, "false")
	case 'n':
		return wordEnd(text, at, "null")
	default:
		return numberEnd(text, at)
	}
}

// elementsEnd is where an object or an array ends.
func elementsEnd(text []byte, at, depth int) int {
	isObject := text[at] == '{'
	closing := text[at] + 2 // in ASCII, of both
	if at = spaceEnd(text, at+1); isByte(text, at, closing) {
		return at + 1
	}
	for {
		if isObject {
			at = nameEnd(text, at)
		}
		if at = valueEnd(text, at, depth+1); at < 0 {
			return no
		}
		at = spaceEnd(text, at)
		switch {
		case isByte(text, at, ','):
			at = spaceEnd(text, at+1)
		case isByte(text, at, closing):
			return at + 1
		default:
			return no
		}
	}
}

// nameEnd is where the value of a member begins whose name begins.
func nameEnd(text []byte, at int) int {
	if !isByte(text, at, '"') {
		return no
	}
	if at = stringEnd(text, at); at < 0 {
		return no
	}
	if at = spaceEnd(text, at); !isByte(text, at, ':') {
		return no
	}
	return spaceEnd(text, at+1)
}

// stringEnd is where a string ends, behind its quotes.
func stringEnd(text []byte, at int) int {
	for at++; ; at++ {
		at = plainEnd(text, at)
		switch {
		case at >= len(text) || text[at] < ' ':
			return no
		case text[at] == '"':
			return at + 1
		case text[at] == '\\':
			if at = escapeEnd(text, at+1); at < 0 {
				return no
			}
		}
	}
}

// plainEnd is where the first byte is that means something in a string: quotes, a
// backslash, or a control character. It looks at eight bytes at a time.
func plainEnd(text []byte, at int) int {
	const (
		each = 0x0101010101010101
		high = 0x8080808080808080
	)
	for ; at+8 <= len(text); at += 8 {
		word := binary.LittleEndian.Uint64(text[at:])
		quotes, backslashes := word^(each*'"'), word^(each*'\\')
		// A byte's highest bit is set where it was zero, or less than a space; behind the
		// first such byte it may be set for nothing.
		found := ((quotes-each)&^quotes | (backslashes-each)&^backslashes | (word-each*' ')&^word) & high
		if found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(text) && text[at] >= ' ' && text[at] != '"' && text[at] != '\\' {
		at++
	}
	return at
}

// escapeEnd is the last byte of an escape, whose backslash is in front.
func escapeEnd(text []byte, at int) int {
	if at >= len(text) {
		return no
	}
	if text[at] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), text[at]) < 0 {
			return no
		}
		return at
	}
	const digits = 4
	for range digits {
		if at++; at >= len(text) || bytes.IndexByte([]byte("0123456789abcdefABCDEF"), text[at]) < 0 {
			return no
		}
	}
	return at
}

func wordEnd(text []byte, at int, word string) int {
	if !bytes.HasPrefix(text[at:], []byte(word)) {
		return no
	}
	return at + len(word)
}

func numberEnd(text []byte, at int) int {
	if isByte(text, at, '-') {
		at++
	}
	if isByte(text, at, '0') {
		at++
	} else if at = digitsEnd(text, at); at < 0 {
		return no
	}
	if isByte(text, at, '.') {
		if at = digitsEnd(text, at+1); at < 0 {
			return no
		}
	}
	if isByte(text, at, 'e') || isByte(text, at, 'E') {
		if at++; isByte(text, at, '+') || isByte(text, at, '-') {
			at++
		}
		return digitsEnd(text, at)
	}
	return at
}

// digitsEnd is where digits end, one at least.
func digitsEnd(text []byte, at int) int {
	begin := at
	for at < len(text) && '0' <= text[at] && text[at] <= '9' {
		at++
	}
	if at == begin {
		return no
	}
	return at
}

// member is a member of an object. Its name is as it is written, without the quotes.
type member struct {
	name []byte
	// before is where the member in front of it ends, and 0 of the first; value is where
	// its own value begins.
	before, value int
}

// membersEnd is where an object ends; visit returns where the value of each member ends.
func membersEnd(text []byte, at int, visit func(member) int) int {
	if !isByte(text, at, '{') {
		return no
	}
	if at = spaceEnd(text, at+1); isByte(text, at, '}') {
		return at + 1
	}
	m := member{}
	for {
		begin := at
		if m.value = nameEnd(text, at); m.value < 0 {
			return no
		}
		m.name = text[begin+1 : stringEnd(text, begin)-1]
		if at = visit(m); at < 0 {
			return no
		}
		m.before = at
		at = spaceEnd(text, at)
		switch {
		case isByte(text, at, ','):
			at = spaceEnd(text, at+1)
		case isByte(text, at, '}'):
			return at + 1
		default:
			return no
		}
	}
}

// itemsEnd is where an array ends; visit returns where each of its elements ends.
func itemsEnd(text []byte, at int, visit func(at int) int) int {
	if !isByte(text, at, '[') {
		return no
	}
	if at = spaceEnd(text, at+1); isByte(text, at, ']') {
		return at + 1
	}
	for {
		if at = visit(at); at < 0 {
			return no
		}
		at = spaceEnd(text, at)
		switch {
		case isByte(text, at, ','):
			at = spaceEnd(text, at+1)
		case isByte(text, at, ']'):
			return at + 1
		default:
			return no
		}
	}
}
