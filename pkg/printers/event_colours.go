package printers

import (
	"bytes"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The colours, as the escape sequences that begin and end them.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	dim    = "\x1b[2m"
	plain  = "\x1b[0m"
)

// painter colours the lines of a table of events by what they begin with. That
// is ours and has a constant width; no object can begin a line.
type painter struct {
	// leadWidth is how many characters stand in front of the event.
	leadWidth int
}

// paint colours whole lines.
func (p painter) paint(text []byte) []byte {
	var painted bytes.Buffer
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if changes, ok := strings.CutPrefix(line, changeIndent); ok {
			line = inColour(colourOfChange(changes), line)
		} else {
			line = p.row(line)
		}
		painted.WriteString(line)
		painted.WriteByte('\n')
	}
	return painted.Bytes()
}

// row colours all of a row that reports a deletion, and of other rows the event.
func (p painter) row(line string) string {
	at := p.leadWidth
	if len(line) < at+eventWidth {
		return line
	}
	front, word, rest := line[:at], line[at:at+eventWidth], line[at+eventWidth:]
	switch cache.EventType(strings.TrimRight(word, " ")) {
	case cache.Deleted:
		return inColour(red, nameMarks("", "").Replace(line))
	case cache.Added:
		word = inColour(green, word)
	case cache.Modified:
		word = inColour(yellow, word)
	case cache.Resync:
		word = inColour(dim, word)
	}
	return front + word + nameMarks(dim, plain).Replace(rest)
}

// nameMarks puts something in the place of the marks round the names of columns.
func nameMarks(begin, end string) *strings.Replacer {
	return strings.NewReplacer(nameBegins, begin, nameEnds, end)
}

// colourOfChange is the colour of a line below a row, by its mark. The mark of a
// line of a text stands further in.
func colourOfChange(line string) string {
	line = strings.TrimPrefix(line, "    ")
	switch {
	case strings.HasPrefix(line, markCame):
		return green
	case strings.HasPrefix(line, markWent):
		return red
	case strings.HasPrefix(line, markChanged):
		return yellow
	}
	return ""
}

func inColour(colour, text string) string {
	if colour == "" {
		return text
	}
	return colour + text + plain
}
