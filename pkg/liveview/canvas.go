package liveview

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Style says what a piece of text is; the Canvas decides how that looks. Nothing is
// told by its look alone.
type Style uint8

const (
	Plain Style = iota
	// Heading is the header of a table, or the title of a page.
	Heading
	// Dim is what is there to be looked up.
	Dim
	// Added, Changed and Deleted are what has just been so.
	Added
	Changed
	Deleted
	// Notice is news, Alert is that what is shown may be of the past.
	Notice
	Alert
	// Bar is a bar of a count.
	Bar
	// Status is the line that says what is shown.
	Status
)

// Selected is added to the style of the row that keys act on.
const Selected Style = 1 << 7

// Canvas is what a Model is drawn on, once it has been cleared.
type Canvas interface {
	Size() (width, height int)
	// Put writes text into a line. It does not have to fit.
	Put(x, y int, text string, style Style)
	// Cursor shows the cursor, where something is typed.
	Cursor(x, y int)
}

// width is how many columns a text takes on a terminal.
func width(text string) int {
	if isASCII(text) {
		return len(text)
	}
	return uniseg.StringWidth(text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// padded fills a text up to so many columns.
func padded(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-width(text)))
}

// clipped is what of a text fits into so many columns. A character that has two is
// never cut in two.
func clipped(text string, columns int) string {
	if columns <= 0 {
		return ""
	}
	if isASCII(text) {
		return text[:min(len(text), columns)]
	}
	end, state, rest := 0, -1, text
	for rest != "" {
		var cluster string
		var wide int
		cluster, rest, wide, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if columns -= wide; columns < 0 {
			break
		}
		end += len(cluster)
	}
	return text[:end]
}

// scrolled is a text without so many columns at its beginning. Of a character that is
// cut in two a space is left.
func scrolled(text string, columns int) string {
	if columns <= 0 {
		return text
	}
	if isASCII(text) {
		return text[min(len(text), columns):]
	}
	state, rest := -1, text
	for rest != "" && columns > 0 {
		var wide int
		_, rest, wide, state = uniseg.FirstGraphemeClusterInString(rest, state)
		columns -= wide
	}
	return strings.Repeat(" ", max(0, -columns)) + rest
}

// withoutLast is a text without its last character, as people count them.
func withoutLast(text string) string {
	end, state, rest := 0, -1, text
	for rest != "" {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if rest != "" {
			end += len(cluster)
		}
	}
	return text[:end]
}
