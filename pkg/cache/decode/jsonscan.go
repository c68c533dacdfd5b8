package decode

import (
	"bytes"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// scan reads an object as API servers write it, and says whether it could: where not, what
// it has read means nothing.
func (o *jsonObject) scan(text []byte) bool {
	end := o.end(text, 0)
	return end >= 0 && spaceEnd(text, end) == len(text)
}

// end reads an object, and returns where it ends.
func (o *jsonObject) end(text []byte, at int) int {
	o.Rest = slices.Grow(o.Rest, len(text)-at)
	end := membersEnd(text, at, func(m member) int {
		if string(m.name) == "metadata" {
			if o.Metadata.present {
				return no
			}
			return o.Metadata.end(text, m.value)
		}
		return plainMember(text, m, func(name, value []byte) bool {
			switch string(name) {
			case "apiVersion":
				return scanWord(value, &o.APIVersion)
			case "kind":
				return scanWord(value, &o.Kind)
			}
			o.Rest = appendMember(o.Rest, name, value)
			return true
		})
	})
	o.Rest = closed(o.Rest)
	return end
}

// end reads metadata, and returns where it ends.
func (m *jsonMetadata) end(text []byte, at int) int {
	m.present = true
	if m.keepManagedFields {
		end := valueEnd(text, at, 0)
		if end < 0 || text[at] != '{' {
			return no
		}
		m.members.Rest = append(m.members.Rest, text[at:end]...)
		return end
	}
	end := membersEnd(text, at, func(each member) int {
		return plainMember(text, each, func(name, value []byte) bool {
			if string(name) != "managedFields" {
				m.members.Rest = appendMember(m.members.Rest, name, value)
			}
			return true
		})
	})
	m.members.Rest = closed(m.members.Rest)
	return end
}

// scannedTable is a Table of one row.
type scannedTable struct {
	metav1.TypeMeta
	rows   int
	cells  []any
	object jsonObject
}

// scan reads a Table of one row, as API servers write it in all events of a watch but the
// first, which has columns; nil where it is another.
func (t table) scan(text []byte) *cache.Row {
	table, ok := t.spare.Get().(*scannedTable)
	if !ok {
		table = &scannedTable{}
	}
	defer t.spare.Put(table)
	*table = scannedTable{object: table.object}
	table.object.reset(t.objects.keepManagedFields)
	end := table.end(text)
	isTable := table.Kind == "Table" && strings.HasPrefix(table.APIVersion, metav1.GroupName+"/")
	if end < 0 || spaceEnd(text, end) != len(text) || !isTable || table.rows != 1 || table.cells == nil || !table.object.Metadata.present {
		return nil
	}
	row, err := t.objects.row(&table.object)
	if err != nil {
		return nil
	}
	row.Columns, row.Cells = t.columns.share(nil), table.cells
	nameByCells(row)
	return row
}

func (t *scannedTable) end(text []byte) int {
	return membersEnd(text, 0, func(m member) int {
		if string(m.name) == "rows" {
			return itemsEnd(text, m.value, func(at int) int { return t.rowEnd(text, at) })
		}
		return plainMember(text, m, func(name, value []byte) bool {
			switch string(name) {
			case "apiVersion":
				return scanWord(value, &t.APIVersion)
			case "kind":
				return scanWord(value, &t.Kind)
			case "columnDefinitions":
				return string(value) == "null"
			}
			return string(name) == "metadata"
		})
	})
}

func (t *scannedTable) rowEnd(text []byte, at int) int {
	if t.rows++; t.rows > 1 {
		return no
	}
	return membersEnd(text, at, func(m member) int {
		switch {
		case string(m.name) == "cells" && t.cells == nil:
			return t.cellsEnd(text, m.value)
		case string(m.name) == "object" && !t.object.Metadata.present:
			return t.object.end(text, m.value)
		}
		return plainMember(text, m, func(name, _ []byte) bool { return string(name) == "conditions" })
	})
}

func (t *scannedTable) cellsEnd(text []byte, at int) int {
	const many = 16
	cells := make([]any, 0, many)
	end := itemsEnd(text, at, func(at int) int {
		end := valueEnd(text, at, 0)
		if end < 0 {
			return no
		}
		cell, err := scalar(text[at:end])
		if err != nil {
			return no
		}
		cells = append(cells, cell)
		return end
	})
	t.cells = slices.Clip(cells)
	return end
}

// plainMember calls visit with a member, and returns where its value ends. Names with
// escapes are for a decoder.
func plainMember(text []byte, m member, visit func(name, value []byte) bool) int {
	end := valueEnd(text, m.value, 0)
	if end < 0 || bytes.IndexByte(m.name, '\\') >= 0 || !visit(m.name, text[m.value:end:end]) {
		return no
	}
	return end
}

// scanMembers calls visit for the members of an object that is all of the text, and says
// whether it is one and visit has always said so.
func scanMembers(text []byte, visit func(name, value []byte) bool) bool {
	end := membersEnd(text, 0, func(m member) int { return plainMember(text, m, visit) })
	return end >= 0 && spaceEnd(text, end) == len(text)
}

// scanWord reads a word, which comes once and is not empty.
func scanWord(text []byte, into *string) bool {
	if *into != "" || text[0] != '"' || !isPlainText(text[1:len(text)-1]) {
		return false
	}
	*into = string(text[1 : len(text)-1])
	return *into != ""
}

// appendMember appends a member to an object, which is closed when it has all.
func appendMember(to, name, value []byte) []byte {
	separator := `,"`
	if len(to) == 0 {
		separator = `{"`
	}
	to = append(append(to, separator...), name...)
	return append(append(to, `":`...), value...)
}

func closed(object []byte) []byte {
	if len(object) == 0 {
		return object
	}
	return append(object, '}')
}
