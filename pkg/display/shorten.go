package display

import "unicode/utf8"

// ellipsis stands for what is left out of a text.
const ellipsis = "…"

// Shorten returns text if it has no more than so many characters, and else its
// beginning and end, which are that long together with the ellipsis between
// them. What says what a text is stands at its ends: a name, a closing quote,
// what an error was about. Characters are never cut in two.
func Shorten(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(text)
	kept := max(0, most-1)
	end := kept / 2
	return string(runes[:kept-end]) + ellipsis + string(runes[len(runes)-end:])
}

// Line makes one line of a text, of no more than so many characters of it.
func Line(text string, most int) string { return Escape(Shorten(text, most), "") }
