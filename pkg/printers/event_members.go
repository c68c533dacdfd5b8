package printers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// eventMember is a member that events as data can have.
type eventMember struct {
	name string
	// flag is what events need to have it; empty for most.
	flag  string
	given bool
}

// eventMembers are all that eventDocuments.document adds.
func (f *Flags) eventMembers() []eventMember {
	return []eventMember{
		{"type", "", true},
		{contextMember, "--contexts", f.Contexts},
		{"object", "", true},
		{"initial", "", true},
		{"oldObject", "--old", f.Old},
		{"changes", "--diff", f.Diff},
		{"finalStateUnknown", "", true},
		{"reason", "", true},
		{"since", "--state", f.Since},
		{"time", "--timestamps", f.Timestamps},
		{"apiVersion", syncEvents, f.SyncEvents},
		{"kind", syncEvents, f.SyncEvents},
		{"namespace", syncEvents, f.SyncEvents},
	}
}

// syncEvents is the flag that asks for events without an object.
const syncEvents = "--sync-events"

// checkMembers refuses a template or a column that starts where there is nothing:
// at the object where it sees the event, at a List, or at the event where it sees
// the object.
func (f *Flags) checkMembers(out *output) error {
	switch out.format {
	case jsonPath:
		// A template that cannot be parsed has been refused.
		read, _ := fieldpath.JSONPathReads(out.template)
		return f.checkEventReads(read, func(names []string) string { return "{" + fieldpath.Spell(names...) + "}" })
	case goTemplate:
		read, _ := fieldpath.GoTemplateReads(out.template)
		return f.checkEventReads(read, func(names []string) string { return "{{." + strings.Join(names, ".") + "}}" })
	case customColumns:
		return out.checkColumns()
	}
	return nil
}

func (f *Flags) checkEventReads(read [][]string, spell func(names []string) string) error {
	members := f.eventMembers()
	for _, names := range read {
		at := slices.IndexFunc(members, func(m eventMember) bool { return m.name == names[0] })
		switch {
		case at < 0:
			return fmt.Errorf("%s: an event has no .%s; it has %s; did you mean %s?",
				spell(names), names[0], namesOf(members), spell(meant(read, names, members)))
		case members[at].given:
		case members[at].flag == syncEvents:
			return fmt.Errorf("%s: an event has .%s only with %s; did you mean %s?",
				spell(names), names[0], syncEvents, spell(meant(read, names, members)))
		default:
			return fmt.Errorf("%s: an event has .%s only with %s", spell(names), names[0], members[at].flag)
		}
	}
	return nil
}

// meant is the path that leads to what someone looked for elsewhere. Who takes
// the event for a List means the object in place of an item.
func meant(read [][]string, names []string, members []eventMember) []string {
	for _, m := range members {
		if m.name != names[0] && strings.EqualFold(m.name, names[0]) {
			return slices.Concat([]string{m.name}, names[1:])
		}
	}
	switch names[0] {
	case "name", "namespace", "labels", "annotations", "uid":
		return slices.Concat([]string{"object", "metadata"}, names)
	case "items":
		for _, other := range read {
			if len(names) == 1 && other[0] == "items" {
				names = other
			}
		}
		names = names[1:]
	}
	return slices.Concat([]string{"object"}, names)
}

// namesOf names the members that are there.
func namesOf(members []eventMember) string {
	var names []string
	for _, m := range members {
		if m.given {
			names = append(names, "."+m.name)
		}
	}
	return strings.Join(names, ", ")
}

// checkColumns refuses columns that take the object for the event.
func (o *output) checkColumns() error {
	for _, column := range o.columns.Columns {
		// A column that cannot be parsed has a message of its own, with each event.
		read, _ := fieldpath.JSONPathReads(column.FieldSpec)
		for _, names := range read {
			switch {
			case names[0] == "oldObject":
				return fmt.Errorf("column %s: custom columns see the object as it is now; "+
					"for .oldObject use --old with -o json, jsonpath or go-template", column.Header)
			case names[0] == "object" && len(names) > 1:
				return fmt.Errorf("column %s: custom columns see the object itself, which has no .object; did you mean %s:%s?",
					column.Header, column.Header, fieldpath.Spell(names[1:]...))
			case names[0] == "object":
				return fmt.Errorf("column %s: custom columns see the object itself, which has no .object", column.Header)
			}
		}
	}
	return nil
}
