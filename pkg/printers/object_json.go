package printers

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

const (
	itemIndent = "        "
	stepIndent = "    "
)

// jsonLayout is how an object is laid out: as an item of kubectl's List, or in
// one line.
type jsonLayout bool

const (
	asItem jsonLayout = true
	asLine jsonLayout = false
)

// appendJSON appends the row's object as kubectl prints it: its members in
// order, and escaped for HTML. From a body that is at hand as JSON it is made
// without decoding it.
func appendJSON(to []byte, row *cache.Row, layout jsonLayout, showManagedFields bool) ([]byte, error) {
	if text, sorted, ok := sortable(row, showManagedFields); ok {
		if sorted && layout == asLine {
			return append(to, text...), nil
		}
		if out, err := jsontext.AppendFormat(to, text, layout.options(sorted)...); err == nil {
			return out, nil
		}
	}
	object, err := printable(row, showManagedFields)
	if err != nil {
		return nil, err
	}
	data, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	data = bytes.TrimSpace(data)
	if layout == asLine {
		return append(to, data...), nil
	}
	out := bytes.NewBuffer(to)
	err = json.Indent(out, data, itemIndent, stepIndent)
	return out.Bytes(), err
}

func (f jsonLayout) options(sorted bool) []jsontext.Options {
	options := []jsontext.Options{jsontext.ReorderRawObjects(!sorted), jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true)}
	if f == asItem {
		options = append(options, jsontext.WithIndent(stepIndent), jsontext.WithIndentPrefix(itemIndent))
	}
	return options
}

// sortable is the row's object as JSON, if it is at hand and holds what is to be
// shown, and whether its members are in order already. jsontext puts names in the
// order of their UTF-16, Go in that of their UTF-8: that is the same without
// characters beyond 16 bits.
func sortable(row *cache.Row, showManagedFields bool) (text []byte, sorted, ok bool) {
	body, ok := row.Body.(cache.JSONBody)
	if !ok || len(row.ManagedFields) > 0 && !showManagedFields {
		return nil, false, false
	}
	text, err := body.JSON()
	_, sorted = body.(cache.SortedJSONBody)
	if row.Context() != "" && err == nil {
		text, err = withContext(text, row.Context())
		sorted = false
	}
	return text, sorted, err == nil && (sorted || !hasLongCharacters(text))
}

// withContext puts the context before the members of an object; where it has one of that
// name there are two, which no one formats.
func withContext(text []byte, context string) ([]byte, error) {
	name, err := json.Marshal(context)
	members, isObject := bytes.CutPrefix(bytes.TrimSpace(text), []byte("{"))
	if err != nil || !isObject {
		return nil, errors.Join(err, errors.New("not an object"))
	}
	return slices.Concat([]byte(`{"`+contextMember+`":`), name, []byte(","), members), nil
}

// hasLongCharacters finds characters beyond 16 bits, be they escaped or not.
func hasLongCharacters(text []byte) bool {
	const fourBytes = 0xf0
	for _, b := range text {
		if b >= fourBytes {
			return true
		}
	}
	return bytes.Contains(text, []byte(`\ud`)) || bytes.Contains(text, []byte(`\uD`))
}
