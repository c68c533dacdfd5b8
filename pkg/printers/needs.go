package printers

import (
	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// everything is what an expression needs that cannot be followed.
const everything = cache.Whole | cache.ManagedFields

// ListNeeds is the least representation from which PrintList can answer. Flags
// that do not pass Validate need everything.
func (f *Flags) ListNeeds() cache.Representation {
	return f.needs(func(out *output) cache.Representation {
		switch out.format {
		case jsonPath:
			if !out.allowMissing() {
				return everything // the error for a missing key shows the objects
			}
			// kubectl drops managedFields from documents, not from templates.
			return fieldpath.ListTemplateTree(out.template).Needs()
		case goTemplate:
			return everything
		case customColumns:
			return out.columnNeeds()
		default:
			return cache.Whole | f.managedFields()
		}
	})
}

// ListsAnnotations says whether PrintList may read the annotations of a row's
// metadata. The server's own columns and names do not show them, and documents are
// made of the whole object, which has them too.
func (f *Flags) ListsAnnotations() bool {
	out, err := f.resolve()
	if err != nil || len(f.SortBy) > 0 {
		return true
	}
	switch out.format {
	case names, jsonDocument, yamlDocument, kyamlDocument, jsonLines, goTemplate:
		return false
	case table:
		return !f.ServerPrint
	}
	return true
}

// EventNeeds is the least representation from which an EventPrinter can print.
// Flags that do not pass Validate need everything.
func (f *Flags) EventNeeds() cache.Representation {
	changes := cache.Metadata
	if f.Diff {
		changes = cache.Whole | cache.ManagedFields // which tell who changed it
	}
	return changes | f.needs(func(out *output) cache.Representation {
		need := cache.Whole
		switch out.format {
		case jsonPath:
			event := fieldpath.TemplateTree(out.template)
			need = event.Below("object").Needs() | event.Below("oldObject").Needs()
		case customColumns:
			need = out.columnNeeds()
		}
		// An event's object has managedFields only where they are asked for.
		return need&^cache.ManagedFields | f.managedFields()
	})
}

// needs is what lists and events have in common: tables, names and sort keys.
func (f *Flags) needs(objects func(*output) cache.Representation) cache.Representation {
	out, err := f.resolve()
	if err != nil {
		return everything
	}
	sorter, err := f.Sorter()
	if err != nil {
		return everything
	}
	need := sorter.needs()
	switch out.format {
	case table:
		if !f.ServerPrint {
			return need | cache.Whole
		}
		return need | cache.Cells
	case names:
		return need
	}
	return need | objects(out)
}

func (f *Flags) managedFields() cache.Representation {
	if f.showManagedFields() {
		return cache.ManagedFields
	}
	return cache.Metadata
}

// columnNeeds is what custom columns read of an object.
func (o *output) columnNeeds() cache.Representation {
	need := cache.Metadata
	for _, column := range o.columns.Columns {
		need |= fieldpath.TemplateTree(column.FieldSpec).Needs()
	}
	return need
}
