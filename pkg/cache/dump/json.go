package dump

import (
	"encoding/json"
	"errors"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// jsonReader reads the JSON documents of one section, which follow each other.
// A list is read item by item.
type jsonReader struct {
	*fileReader
	in    *pushback
	lines *lineIndex
	dec   *json.Decoder
	// base is where in the section the decoder began.
	base int64
	// lost is what is known of an object that has been begun.
	lost lost
}

// readJSON reads a section that begins on the given line. After a document at
// fault it goes on with the next line that begins with a brace, as documents do
// that a program has written.
func (f *fileReader) readJSON(section io.Reader, line int) error {
	lines := &lineIndex{line: line}
	r := &jsonReader{fileReader: f, in: &pushback{from: io.TeeReader(section, lines)}, lines: lines}
	for {
		r.dec = json.NewDecoder(r.in)
		r.dec.UseNumber()
		err := r.documents()
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			at := origin{r.file, r.document, r.lines.at(max(0, r.lines.written-1))}
			return r.emit(piece{origin: at, err: at.fault(&lostError{errors.New("unexpected end of JSON input"), r.lost})})
		case errors.As(err, &syntax):
			err = r.resume(syntax)
		}
		if err != nil {
			return err
		}
	}
}

// resume reports what is wrong where the decoder stands, and skips it.
func (r *jsonReader) resume(cause *json.SyntaxError) error {
	ahead, err := io.ReadAll(r.dec.Buffered())
	if err != nil {
		return err
	}
	wrong := int64(0)
	if syntax := cause; cause.Offset != r.dec.InputOffset() {
		// It is in a value, where the decoder counts only some of what it has read.
		if errors.As(json.Unmarshal(ahead, new(json.RawMessage)), &syntax) {
			wrong = syntax.Offset - 1
		}
	}
	r.base += r.dec.InputOffset()
	inLine := !r.lines.pass(r.base)
	at := origin{r.file, r.document, r.lines.at(r.base + wrong)}
	if err := r.emit(piece{origin: at, err: at.fault(cause)}); err != nil {
		return err
	}
	r.in.giveBack(ahead)
	skipped, err := r.in.skipTo('{', inLine)
	r.base += skipped
	return err
}

// documents reads up to the end, io.EOF, or the first error.
func (r *jsonReader) documents() error {
	for {
		token, err := r.dec.Token()
		if errors.Is(err, io.EOF) {
			return err
		}
		r.document++
		r.lost = lost{}
		switch here := r.place(r.dec.InputOffset()); {
		case err != nil:
		case token == json.Delim('{'):
			err = r.object(here)
		case token == json.Delim('['):
			var items []piece
			items, err = r.items()
			err = r.emitAll(items, metav1.TypeMeta{}, err)
		default:
			err = r.emit(piece{origin: here, err: here.fault(errNotObject)})
		}
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
}

// place is where an offset of the decoder's is. What is before it is forgotten.
func (r *jsonReader) place(offset int64) origin {
	r.lines.pass(r.base + offset)
	return origin{r.file, r.document, r.lines.line}
}

// object reads an object whose brace has been read. Of a list that is broken off
// it reports the items before.
func (r *jsonReader) object(at origin) error {
	var items []piece
	isList := false
	fields, err := r.members(func(fields map[string]json.RawMessage) (err error) {
		items, isList, err = r.itemsMember(fields)
		return err
	})
	if err != nil {
		r.lost = lostOf(fields)
	}
	if isList {
		list := metav1.TypeMeta{APIVersion: span(fields["apiVersion"]).text(), Kind: span(fields["kind"]).text()}
		return r.emitAll(items, list, err)
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return r.emit(piece{origin: at, form: inJSON, text: text})
}

// members reads up to the closing brace. The member "items" is left to items,
// if there is such a function.
func (r *jsonReader) members(items func(map[string]json.RawMessage) error) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	for r.dec.More() {
		name, err := r.dec.Token()
		if err != nil {
			return fields, err
		}
		if name == "items" && items != nil {
			if err := items(fields); err != nil {
				return fields, err
			}
			continue
		}
		var value json.RawMessage
		if err := r.dec.Decode(&value); err != nil {
			return fields, err
		}
		fields[name.(string)] = value
	}
	_, err := r.dec.Token()
	return fields, err
}

// itemsMember reads the value of "items". One that is no array becomes a field
// like any other.
func (r *jsonReader) itemsMember(fields map[string]json.RawMessage) (items []piece, isList bool, err error) {
	token, err := r.dec.Token()
	if err != nil {
		return nil, false, err
	}
	var value any = token
	switch token {
	case json.Delim('['):
		items, err := r.items()
		return items, true, err
	case json.Delim('{'):
		if value, err = r.members(nil); err != nil {
			return nil, false, err
		}
	}
	fields["items"], err = json.Marshal(value)
	return nil, false, err
}

// items reads up to the closing bracket.
func (r *jsonReader) items() ([]piece, error) {
	var items []piece
	for r.dec.More() {
		var text json.RawMessage
		if err := r.dec.Decode(&text); err != nil {
			return items, err
		}
		at := r.place(r.dec.InputOffset() - int64(len(text)))
		compact, err := compacted(text)
		if err != nil {
			return items, err
		}
		items = append(items, piece{origin: at, form: inJSON, text: compact})
	}
	_, err := r.dec.Token()
	return items, err
}

// emitAll emits the items of a list, and then returns why there are no more.
func (r *jsonReader) emitAll(items []piece, list metav1.TypeMeta, end error) error {
	for _, item := range items {
		item.list = list
		if err := r.emit(item); err != nil {
			return err
		}
	}
	return end
}
