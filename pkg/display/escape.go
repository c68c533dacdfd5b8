package display

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The presentation selectors choose between the text and the emoji that a symbol
// has.
const (
	asText  = '\ufe0e'
	asEmoji = '\ufe0f'
)

// Escape returns text in which a person sees every character that a terminal
// would act on or not show; those in keep are left as they are. Escaped are
//   - C0, DEL and C1, and bytes that are not UTF-8, which a terminal may take
//     for C1;
//   - what changes the direction of text, or separates lines and paragraphs;
//   - what has no glyph of its own: zero-width characters, tags, fillers,
//     variation selectors. A name with such a character reads like another one.
//
// Two have a meaning that is lost. A zero-width joiner makes one emoji of
// several: its parts are still legible, terminals disagree about the width of
// the whole, and between letters it only hides. A presentation selector is kept
// behind a symbol beyond ASCII, as in most emoji that people write, and nowhere else.
//
// ESC becomes ^[ and CR \r, as in kubectl's tables, newline \n, tab \t; bytes
// become \x and two digits; all others \u and four digits for each 16 bits, which
// within JSON is the same string as before. Text that is safe already is
// returned itself, not copied.
func Escape[T string | []byte](text T, keep string) T {
	return EscapeFunc(text, keep, spelling)
}

// EscapeFunc is Escape with another spelling of characters. Bytes that are no
// characters are spelled as by Escape.
func EscapeFunc[T string | []byte](text T, keep string, spell func(rune) string) T {
	if IsSafe(text, keep) {
		return text
	}
	escaped, _ := appendEscaped(make([]byte, 0, len(text)+16), []byte(text), keep, 0, spell)
	return T(escaped)
}

// IsSafe says whether Escape would change nothing.
func IsSafe[T string | []byte](text T, keep string) bool {
	for i := range len(text) {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			return isSafeUnicode(string(text[i:]), keep)
		case isControl(rune(b)) && strings.IndexByte(keep, b) < 0:
			return false
		}
	}
	return true
}

func isSafeUnicode(text, keep string) bool {
	var before rune
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return false
			}
		}
		if isUnsafe(r, before) && !strings.ContainsRune(keep, r) {
			return false
		}
		before = r
	}
	return true
}

// Quote is text between quotes, in Go's spelling, without a character that
// Escape would escape.
func Quote(text string) string { return Escape(strconv.Quote(text), "") }

// appendEscaped appends text, which follows the character before, and returns
// the last character too: 0 where that has been escaped.
func appendEscaped(to, text []byte, keep string, before rune, spell func(rune) string) (escaped []byte, last rune) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			to, before = fmt.Appendf(to, `\x%02x`, text[0]), 0
		case isUnsafe(r, before) && !strings.ContainsRune(keep, r):
			to, before = append(to, spell(r)...), 0
		default:
			to, before = append(to, text[:size]...), r
		}
		text = text[size:]
	}
	return to, before
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r <= 0x9f }

// isUnsafe says whether a character that follows another is to be escaped.
func isUnsafe(r, before rune) bool {
	const softHyphen = '\u00ad' // the first that is neither ASCII nor a control
	switch {
	case isControl(r):
		return true
	case r < softHyphen:
		return false
	case r == asText || r == asEmoji:
		return before < utf8.RuneSelf || !unicode.IsSymbol(before)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		// Format characters that are seen, such as ARABIC NUMBER SIGN.
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func spelling(r rune) string {
	switch r {
	case '\x1b':
		return "^["
	case '\r':
		return `\r`
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	}
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
