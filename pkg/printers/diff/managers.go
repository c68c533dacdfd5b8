package diff

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// managers know who has changed fields, as far as metadata.managedFields say it: the
// server notes there who has written each field last, in the form FieldsV1.
type managers struct {
	before, after []owner
	// wrote are those of after who have written since before.
	wrote []owner
}

// owner is one entry of metadata.managedFields.
type owner struct {
	manager string
	// entry is all of it, fields what it owns.
	entry, fields map[string]any
}

func newManagers(old, now map[string]any) *managers {
	m := &managers{before: ownersOf(old), after: ownersOf(now)}
	if len(m.before) == 0 {
		return m // the old object was kept without them: nobody knows who has written since
	}
	for _, o := range m.after {
		if !slices.ContainsFunc(m.before, func(b owner) bool { return reflect.DeepEqual(b.entry, o.entry) }) {
			m.wrote = append(m.wrote, o)
		}
	}
	return m
}

func ownersOf(object map[string]any) (owners []owner) {
	metadata, _ := object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	for _, one := range entries {
		entry, _ := one.(map[string]any)
		manager, _ := entry["manager"].(string)
		fields, _ := entry["fieldsV1"].(map[string]any)
		if manager != "" {
			owners = append(owners, owner{manager, entry, fields})
		}
	}
	return owners
}

// of returns who has changed the field at a path; empty where that is not known. A
// field that is there is its owner's: of several, of the one that has written since.
// One that has gone was taken by whoever has written.
func (m *managers) of(p path, present bool) string {
	if !present {
		return only(m.wrote)
	}
	owners, deepest := []owner{}, 0
	for _, o := range m.after {
		depth := ownedDepth(o.fields, p)
		if depth > deepest {
			owners, deepest = nil, depth
		}
		if depth > 0 && depth == deepest {
			owners = append(owners, o)
		}
	}
	if manager := only(owners); manager != "" {
		return manager
	}
	return only(slices.DeleteFunc(owners, func(o owner) bool { return !m.hasWritten(o) }))
}

// hasWritten says whether an owner is one of those that have written.
func (m *managers) hasWritten(o owner) bool {
	return slices.ContainsFunc(m.wrote, func(w owner) bool { return reflect.DeepEqual(w.entry, o.entry) })
}

// only is the manager of all owners; empty if there are several, or none.
func only(owners []owner) string {
	manager := ""
	for _, o := range owners {
		if manager != "" && o.manager != manager {
			return ""
		}
		manager = o.manager
	}
	return manager
}

// ownedDepth is how much of a path a set of fields names where it holds the field, or
// something of it; less where it holds what the field is in, of which it may be that
// all of it belongs to one owner; 0 where it holds neither.
func ownedDepth(fields map[string]any, p path) int {
	for depth, step := range p {
		if len(fields) == 0 {
			return depth
		}
		below, ok := fieldsOf(fields, step)
		if !ok {
			return 0
		}
		fields = below
	}
	return len(p)
}

func fieldsOf(fields map[string]any, s step) (map[string]any, bool) {
	if s.item == nil {
		below, ok := fields["f:"+s.key].(map[string]any)
		return below, ok
	}
	for name, content := range fields {
		text, keyed := strings.CutPrefix(name, "k:")
		below, ok := content.(map[string]any)
		if keyed && ok && s.item.hasKeys(text) {
			return below, true
		}
	}
	return nil, false
}

// hasKeys says whether an item is the one that FieldsV1 names by the values of its
// keys, such as {"containerPort":80,"protocol":"TCP"}.
func (i *item) hasKeys(text string) bool {
	var keys map[string]any
	if json.Unmarshal([]byte(text), &keys) != nil {
		return false
	}
	for name, want := range keys {
		has, present := i.content[name]
		if number, ok := has.(int64); ok {
			has = float64(number)
		}
		if present && has != want { // a key with a default may not be there
			return false
		}
	}
	return true
}
