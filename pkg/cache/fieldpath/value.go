package fieldpath

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Member returns a map's or a struct's member; the zero Value if there is none.
func Member(v reflect.Value, name string) reflect.Value {
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

// Texts calls found for the text of a scalar, or of each scalar in a list.
func Texts(v reflect.Value, found func(string)) {
	v = concrete(v)
	if s, ok := Text(v); ok {
		found(s)
		return
	}
	for i := range elements(v) {
		if s, ok := Text(v.Index(i)); ok {
			found(s)
		}
	}
}

// Text is a scalar as JSON writes it, without a string's quotes.
func Text(v reflect.Value) (string, bool) {
	switch v = concrete(v); v.Kind() {
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

// Has says whether there is a member of that name, and not null.
func Has(v reflect.Value, name string) bool { return concrete(Member(v, name)).IsValid() }
