package printers

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// escapeForYAML escapes, in JSON, the characters that JSON allows raw and YAML
// does not: DEL, C1 and two noncharacters. (U+0085 YAML does allow, as a line
// break, and reads a space.) kubectl fails on such objects, or changes them.
func escapeForYAML(data []byte) []byte {
	if !bytes.ContainsFunc(data, unreadableInYAML) {
		return data
	}
	escaped := make([]byte, 0, len(data)+64)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if unreadableInYAML(r) {
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		} else {
			escaped = append(escaped, data[:size]...)
		}
		data = data[size:]
	}
	return escaped
}

func unreadableInYAML(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == 0xfffe || r == 0xffff
}
