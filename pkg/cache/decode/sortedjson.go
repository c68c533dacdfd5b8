package decode

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

// sortedJSON writes values of one Go type as encoding/json writes the nested maps
// that they decode to: members are in the order of their names, in structs too.
type sortedJSON func(to []byte, value reflect.Value) ([]byte, error)

// sortedJSONs are those of Kubernetes' structs, and of what these hold.
type sortedJSONs struct{ byType sync.Map } // reflect.Type: sortedJSON

// of returns the one of a type. It is made when it is needed: types hold themselves.
func (s *sortedJSONs) of(t reflect.Type) sortedJSON {
	if made, ok := s.byType.Load(t); ok {
		return made.(sortedJSON)
	}
	made := s.make(t)
	s.byType.Store(t, made)
	return made
}

// inner is the one of a type that a type holds.
func (s *sortedJSONs) inner(t reflect.Type) sortedJSON {
	made := sync.OnceValue(func() sortedJSON { return s.of(t) })
	return func(to []byte, value reflect.Value) ([]byte, error) { return made()(to, value) }
}

func (s *sortedJSONs) make(t reflect.Type) sortedJSON {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) && t.Kind() != reflect.Pointer {
		return writtenByItself
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(to []byte, value reflect.Value) ([]byte, error) { return strconv.AppendBool(to, value.Bool()), nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(to []byte, value reflect.Value) ([]byte, error) {
			return strconv.AppendInt(to, value.Int(), 10), nil
		}
	case reflect.String:
		return func(to []byte, value reflect.Value) ([]byte, error) { return appendText(to, value.String()) }
	case reflect.Pointer:
		return orNull(s.pointer(t))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return orNull(appendBase64)
		}
		return orNull(s.slice(t))
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return orNull(s.stringMap(t))
		}
	case reflect.Struct:
		if members, ok := s.members(t, nil); ok {
			return object(members)
		}
	}
	return byDecoding
}

// writtenByItself is of types with a MarshalJSON, which mostly make text of them.
func writtenByItself(to []byte, value reflect.Value) ([]byte, error) {
	if !value.CanAddr() { // an element of a map
		addressable := reflect.New(value.Type()).Elem()
		addressable.Set(value)
		value = addressable
	}
	switch known := value.Addr().Interface().(type) {
	case *metav1.Time:
		return appendTime(to, *known), nil
	case *intstr.IntOrString:
		if known.Type == intstr.Int {
			return strconv.AppendInt(to, int64(known.IntVal), 10), nil
		}
	}
	written, err := value.Addr().Interface().(json.Marshaler).MarshalJSON()
	if n := len(written) - 1; err == nil && n > 0 && written[0] == '"' && written[n] == '"' && isPlainText(written[1:n]) {
		return append(to, written...), nil
	}
	return byDecoding(to, value)
}

// appendTime writes a time as its MarshalJSON does.
func appendTime(to []byte, t metav1.Time) []byte {
	if t.IsZero() {
		return append(to, "null"...)
	}
	to = t.UTC().AppendFormat(append(to, '"'), time.RFC3339)
	return append(to, '"')
}

// byDecoding is the long way, for whatever type.
func byDecoding(to []byte, value reflect.Value) ([]byte, error) {
	written := value.Interface()
	if value.CanAddr() {
		written = value.Addr().Interface()
	}
	text, err := json.Marshal(written)
	if err != nil {
		return nil, err
	}
	var decoded any
	if err := kubejson.Unmarshal(text, &decoded); err != nil {
		return nil, err
	}
	text, err = json.Marshal(decoded)
	return append(to, text...), err
}

func orNull(write sortedJSON) sortedJSON {
	return func(to []byte, value reflect.Value) ([]byte, error) {
		if value.IsNil() {
			return append(to, "null"...), nil
		}
		return write(to, value)
	}
}

func (s *sortedJSONs) pointer(t reflect.Type) sortedJSON {
	element := s.inner(t.Elem())
	return func(to []byte, value reflect.Value) ([]byte, error) { return element(to, value.Elem()) }
}

func (s *sortedJSONs) slice(t reflect.Type) sortedJSON {
	element := s.inner(t.Elem())
	return func(to []byte, value reflect.Value) (_ []byte, err error) {
		to = append(to, '[')
		for i := range value.Len() {
			if i > 0 {
				to = append(to, ',')
			}
			if to, err = element(to, value.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	}
}

func appendBase64(to []byte, value reflect.Value) ([]byte, error) {
	to = base64.StdEncoding.AppendEncode(append(to, '"'), value.Bytes())
	return append(to, '"'), nil
}

func (s *sortedJSONs) stringMap(t reflect.Type) sortedJSON {
	element := s.inner(t.Elem())
	return func(to []byte, value reflect.Value) (_ []byte, err error) {
		keys := value.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
		separator := byte('{')
		for _, key := range keys {
			if to, err = appendText(append(to, separator), key.String()); err != nil {
				return nil, err
			}
			if to, err = element(append(to, ':'), value.MapIndex(key)); err != nil {
				return nil, err
			}
			separator = ','
		}
		if len(keys) == 0 {
			to = append(to, '{')
		}
		return append(to, '}'), nil
	}
}

// memberJSON is a member of an object, and the field of a struct that it is.
type memberJSON struct {
	name string
	// path is where the field is, through structs that are embedded.
	path []int
	// leading is what is written before the value: a comma, the name, a colon.
	leading   []byte
	value     sortedJSON
	isLeftOut func(reflect.Value) bool
}

// members are those of a struct, unless its fields are such as Kubernetes' types
// do not have.
func (s *sortedJSONs) members(t reflect.Type, path []int) (members []memberJSON, ok bool) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		at := append(slices.Clone(path), i)
		switch {
		case field.Anonymous && name == "":
			if field.Type.Kind() != reflect.Struct {
				return nil, false
			}
			embedded, ok := s.members(field.Type, at)
			if !ok {
				return nil, false
			}
			members = append(members, embedded...)
			continue
		case !field.IsExported() || name == "-" && options == "":
			continue
		}
		m := memberJSON{name: cmp.Or(name, field.Name), path: at, value: s.inner(field.Type)}
		m.isLeftOut, ok = leftOut(field.Type, strings.Split(options, ","))
		if !ok || !isPlainText([]byte(m.name)) {
			return nil, false
		}
		m.leading = []byte(`,"` + m.name + `":`)
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b memberJSON) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(members); i++ {
		if members[i].name == members[i-1].name {
			return nil, false
		}
	}
	return members, true
}

// leftOut says when a field with such options is no member; nil is never.
func leftOut(t reflect.Type, options []string) (when func(reflect.Value) bool, ok bool) {
	for _, option := range options {
		switch option {
		case "", "inline":
		case "omitempty":
			switch t.Kind() {
			case reflect.Struct:
			case reflect.Slice, reflect.Map:
				when = func(value reflect.Value) bool { return value.Len() == 0 }
			default:
				when = reflect.Value.IsZero
			}
		case "omitzero":
			if _, decidesItself := t.MethodByName("IsZero"); decidesItself || when != nil {
				return nil, false
			}
			when = reflect.Value.IsZero
		default:
			return nil, false
		}
	}
	return when, true
}

func object(members []memberJSON) sortedJSON {
	return func(to []byte, value reflect.Value) (_ []byte, err error) {
		begin := len(to)
		for i := range members {
			member := &members[i]
			field := value.Field(member.path[0])
			for _, at := range member.path[1:] {
				field = field.Field(at)
			}
			if member.isLeftOut != nil && member.isLeftOut(field) {
				continue
			}
			if to, err = member.value(append(to, member.leading...), field); err != nil {
				return nil, err
			}
		}
		if len(to) == begin {
			to = append(to, ',')
		}
		to[begin] = '{' // in place of the first comma
		return append(to, '}'), nil
	}
}

// appendText writes a string as encoding/json does, which reads bytes that are no
// text as U+FFFD.
func appendText(to []byte, text string) ([]byte, error) {
	if isPlainText([]byte(text)) {
		to = append(append(to, '"'), text...)
		return append(to, '"'), nil
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	written, err := json.Marshal(text)
	return append(to, written...), err
}

// isPlainText says whether nothing in a text is escaped in JSON.
func isPlainText(text []byte) bool {
	for _, b := range text {
		if b < ' ' || b >= utf8.RuneSelf || b == '"' || b == '\\' || b == '<' || b == '>' || b == '&' {
			return false
		}
	}
	return true
}
