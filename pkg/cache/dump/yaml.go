package dump

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// wholeYAML is up to how many bytes a YAML document is decoded as one, which
// takes some thirty times as much memory. What is longer is divided if it can be.
const wholeYAML = 1 << 20

// yamlItem is where in a document an item of a list stands.
type yamlItem struct {
	// from and to are offsets, line is the number of the first line, from 0.
	from, to, line int
}

// divide finds the items of a YAML list by its lines: those of the member
// "items" at the top, in block style. They are sequences of one item each. head
// is the document with empty lines in place of that member. There are no items if
// the document has another form.
//
// That is safe since nothing else can be where it looks: within a block at the
// top, every value that spans lines is indented. (Quoted text need not be for
// every parser, and an alias may stand for what is in another item; both make an
// item an error, and never another object.)
func divide(document []byte) (head []byte, items []yamlItem) {
	const before, within, after = 0, 1, 2
	state, indent, number, offset := before, 0, 0, 0
	for line := range bytes.Lines(document) {
		text := bytes.TrimRight(line, " \t\r\n")
		content := bytes.TrimLeft(text, " ")
		depth, first := len(text)-len(content), len(items) == 0
		inItems := true
		switch {
		case state == before && isItemsKey(text):
			state = within
		case state != within:
			inItems = false
		case len(content) == 0 || content[0] == '#':
		case first && !isItem(content):
			return nil, nil
		case isItem(content) && (first || depth == indent):
			indent = depth
			items = append(endLast(items, offset), yamlItem{from: offset, to: len(document), line: number})
		case depth <= indent:
			state, inItems = after, false
			items = endLast(items, offset)
		}
		if inItems {
			head = append(head, '\n')
		} else {
			head = append(head, line...)
		}
		offset += len(line)
		number++
	}
	return head, items
}

// typeLines are the first lines at the top of a document that say what it is.
func typeLines(document []byte) []byte {
	var version, kind []byte
	for line := range bytes.Lines(document) {
		switch {
		case version == nil && bytes.HasPrefix(line, []byte("apiVersion:")):
			version = line
		case kind == nil && bytes.HasPrefix(line, []byte("kind:")):
			kind = line
		}
	}
	return slices.Concat(version, kind)
}

func isItemsKey(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("items:"))
	rest = bytes.TrimLeft(rest, " ")
	return ok && (len(rest) == 0 || rest[0] == '#')
}

func isItem(content []byte) bool {
	return bytes.HasPrefix(content, []byte("- ")) || string(content) == "-"
}

func endLast(items []yamlItem, offset int) []yamlItem {
	if len(items) > 0 {
		items[len(items)-1].to = offset
	}
	return items
}

// hasContent says whether a section holds a document: one may be empty, or hold
// nothing but comments and directives.
func hasContent(section []byte) bool {
	for line := range bytes.Lines(section) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return true
		}
	}
	return false
}

// yamlPlace finds what the YAML library puts in front of an error.
var yamlPlace = regexp.MustCompile(`^(?:error converting YAML to JSON: )?yaml: (?:line (\d+): )?`)

// yamlFault takes the line out of an error of the YAML library, counted from 0.
func yamlFault(err error) (line int, message string) {
	message = err.Error()
	place := yamlPlace.FindStringSubmatch(message)
	if place == nil {
		return 0, message
	}
	if n, err := strconv.Atoi(place[1]); err == nil {
		line = n - 1
	}
	return line, strings.TrimPrefix(message, place[0])
}
