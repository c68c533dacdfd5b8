package printers

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v2"
)

// yamlItems lays objects out as items of a List, as the YAML library does. It writes
// itself what is the same wherever it stands: maps, lists, and words that need no
// quotes. All else it asks of the library, in the place where it stands.
type yamlItems struct {
	text []byte
	// at is the place that is being written: the name of a member, or nil for an
	// element of a list.
	at []any
	// words are some without spaces, as the library wrote them.
	words map[string][]byte
}

// maxWords bounds the words that are remembered.
const maxWords = 10_000

// append appends an item.
func (y *yamlItems) append(to []byte, object map[string]any) ([]byte, error) {
	to = append(to, '-')
	y.text = to
	y.at = append(y.at[:0], nil)
	err := y.value(object, 1)
	return y.text, err
}

// value writes what follows a "-" or a "name:". Names of its members are indented by
// so many steps.
func (y *yamlItems) value(value any, depth int) error {
	switch value := value.(type) {
	case map[string]any:
		return y.members(value, depth)
	case []any:
		return y.elements(value, depth)
	case string:
		return y.word(value)
	case bool:
		y.text = strconv.AppendBool(append(y.text, ' '), value)
	case int64:
		y.text = strconv.AppendInt(append(y.text, ' '), value, 10)
	default:
		y.text = append(y.text, " null"...)
	}
	y.text = append(y.text, '\n')
	return nil
}

func (y *yamlItems) members(members map[string]any, depth int) error {
	names := make([]string, 0, len(members))
	for name := range members {
		if !isYAMLName(name) {
			return y.byLibrary(members)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		y.text = append(y.text, " {}\n"...)
		return nil
	}
	slices.SortFunc(names, compareYAMLNames)
	for i, name := range names {
		if i == 0 && y.at[len(y.at)-1] == nil {
			y.text = append(y.text, ' ') // behind the "-"
		} else {
			if i == 0 {
				y.text = append(y.text, '\n')
			}
			y.indent(depth)
		}
		y.text = append(append(y.text, name...), ':')
		y.at = append(y.at, name)
		if err := y.value(members[name], depth+1); err != nil {
			return err
		}
		y.at = y.at[:len(y.at)-1]
	}
	return nil
}

func (y *yamlItems) elements(elements []any, depth int) error {
	if y.at[len(y.at)-1] == nil { // a list in a list
		return y.byLibrary(elements)
	}
	if len(elements) == 0 {
		y.text = append(y.text, " []\n"...)
		return nil
	}
	y.text = append(y.text, '\n')
	for _, element := range elements {
		y.indent(depth - 1)
		y.text = append(y.text, '-')
		y.at = append(y.at, nil)
		if err := y.value(element, depth); err != nil {
			return err
		}
		y.at = y.at[:len(y.at)-1]
	}
	return nil
}

func (y *yamlItems) indent(depth int) {
	for range depth {
		y.text = append(y.text, "  "...)
	}
}

// word writes a string. The library folds, by its place, those that have spaces.
func (y *yamlItems) word(word string) error {
	if !hasOnly(word, func(c byte) bool { return ' ' < c && c < 0x7f }) {
		return y.byLibrary(word)
	}
	if isYAMLWord(word) {
		y.text = append(append(append(y.text, ' '), word...), '\n')
		return nil
	}
	written, known := y.words[word]
	if !known {
		var err error
		if written, err = yaml.Marshal(word); err != nil {
			return err
		}
		if y.words == nil || len(y.words) >= maxWords {
			y.words = map[string][]byte{}
		}
		y.words[word] = written
	}
	y.text = append(append(y.text, ' '), written...)
	return nil
}

// byLibrary writes what the library makes of a value in the place that is written. It
// is what differs from another value there.
func (y *yamlItems) byLibrary(value any) error {
	const other = " x\n"
	text, err := yaml.Marshal(y.inPlace(value))
	if err != nil {
		return err
	}
	place, err := yaml.Marshal(y.inPlace("x"))
	if err != nil {
		return err
	}
	y.text = append(y.text, text[len(place)-len(other):]...)
	return nil
}

// inPlace is a List's items that hold nothing but the value.
func (y *yamlItems) inPlace(value any) any {
	for _, name := range slices.Backward(y.at) {
		if name == nil {
			value = []any{value}
		} else {
			value = map[string]any{name.(string): value}
		}
	}
	return value
}

// isYAMLWord says whether a string is certain to be written without quotes.
func isYAMLWord(word string) bool {
	return word != "" && isLetter(word[0]) && word[len(word)-1] != ':' && !isYAMLKeyword(word) && hasOnly(word, func(c byte) bool {
		return isLetter(c) || '0' <= c && c <= '9' || strings.IndexByte("-_./:@+=,", c) >= 0
	})
}

// isYAMLName says whether a name is certain to be written without quotes, and where
// among others: the library sorts digits as numbers, and writes long names otherwise.
func isYAMLName(name string) bool {
	const longest = 100
	return name != "" && len(name) <= longest && isLetter(name[0]) && !isYAMLKeyword(name) && hasOnly(name, func(c byte) bool {
		return isLetter(c) || c == '-' || c == '.' || c == '/'
	})
}

// isYAMLKeyword says whether YAML 1.1 reads a word as something else.
func isYAMLKeyword(word string) bool {
	if len(word) > len("false") {
		return false
	}
	switch strings.ToLower(word) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

// compareYAMLNames is the library's order: letters come behind everything else.
func compareYAMLNames(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if letter := isLetter(a[i]); letter != isLetter(b[i]) {
			if letter {
				return 1
			}
			return -1
		}
		return int(a[i]) - int(b[i])
	}
	return len(a) - len(b)
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func hasOnly(text string, allowed func(byte) bool) bool {
	for i := range len(text) {
		if !allowed(text[i]) {
			return false
		}
	}
	return true
}
