package index

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// step goes from a value to the member of that name, or to each element.
type step struct {
	name string
	each bool
}

// branch is a set of paths that start alike, so that what they share is walked
// once. It walks nested maps and the structs of Kubernetes' API alike: a struct's
// members are those of its JSON.
type branch struct {
	// ends marks the end of a path.
	ends    bool
	each    *branch
	members []member
}

type member struct {
	name string
	next *branch
}

// add adds a path.
func (b *branch) add(steps []step) {
	for _, s := range steps {
		b = b.child(s)
	}
	b.ends = true
}

func (b *branch) child(s step) *branch {
	if s.each {
		if b.each == nil {
			b.each = &branch{}
		}
		return b.each
	}
	for _, m := range b.members {
		if m.name == s.name {
			return m.next
		}
	}
	next := &branch{}
	b.members = append(b.members, member{name: s.name, next: next})
	return next
}

// walk calls found for each value at the end of a path.
func (b *branch) walk(v reflect.Value, found func(reflect.Value)) {
	if b.ends {
		found(v)
	}
	if b.each != nil {
		list := concrete(v)
		for i := range elements(list) {
			b.each.walk(list.Index(i), found)
		}
	}
	for _, m := range b.members {
		if child := memberOf(v, m.name); child.IsValid() {
			m.next.walk(child, found)
		}
	}
}

// memberOf returns a map's or a struct's member; the zero Value if there is none.
func memberOf(v reflect.Value, name string) reflect.Value {
	v = concrete(v)
	switch v.Kind() {
	case reflect.Map:
		if object, ok := v.Interface().(map[string]any); ok {
			return reflect.ValueOf(object[name])
		}
		if key := v.Type().Key(); key.Kind() == reflect.String {
			return v.MapIndex(reflect.ValueOf(name).Convert(key))
		}
	case reflect.Struct:
		field, ok := value.TypeReflectEntryOf(v.Type()).Fields()[name]
		if !ok {
			return reflect.Value{}
		}
		if found := field.GetFrom(v); !field.CanOmit(found) {
			return found
		}
	}
	return reflect.Value{}
}

// elements is the number of elements of a list, 0 for all else.
func elements(v reflect.Value) int {
	if (v.Kind() == reflect.Slice || v.Kind() == reflect.Array) && v.Type().Elem().Kind() != reflect.Uint8 {
		return v.Len()
	}
	return 0
}

// concrete follows pointers and interfaces, and turns structs with a JSON form
// of their own, such as times and quantities, into it. The zero Value is null.
func concrete(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return v
	}
	entry := value.TypeReflectEntryOf(v.Type())
	if !entry.CanConvertToUnstructured() {
		return v
	}
	converted, err := entry.ToUnstructured(v)
	if err != nil {
		return reflect.Value{}
	}
	return reflect.ValueOf(converted)
}

// texts calls found for the text of a scalar, or of each scalar in a list.
func texts(v reflect.Value, found func(string)) {
	v = concrete(v)
	if s, ok := text(v); ok {
		found(s)
		return
	}
	for i := range elements(v) {
		if s, ok := text(concrete(v.Index(i))); ok {
			found(s)
		}
	}
}

// text is a concrete scalar as JSON writes it, without a string's quotes.
func text(v reflect.Value) (string, bool) {
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), true
	case reflect.Float32, reflect.Float64:
		number, err := json.Marshal(v.Interface())
		return string(number), err == nil
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 && !v.IsNil() {
			return base64.StdEncoding.EncodeToString(v.Bytes()), true
		}
	}
	return "", false
}
