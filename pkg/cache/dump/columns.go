package dump

import (
	"context"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump/tables"
)

// generator makes the columns and cells of one type's objects.
type generator struct {
	// columns are shared by all rows.
	columns *cache.Columns
	// cells returns none for an object of which they cannot be made.
	cells func(objects []*object, q tables.Question) [][]any
	// order is that of the rows by their cells; nil leaves them as they are.
	order func(a, b []any) int
}

// generatorOf returns that of a built-in type, else that of the columns that are
// defined for a version. A version that defines none, or none that can be read, has
// plain columns, NAME and AGE, as it has on a server.
func generatorOf(kind schema.GroupVersionKind, version apiextensionsv1.CustomResourceDefinitionVersion) generator {
	if builtin := tables.For(kind); builtin != nil {
		cells := func(objects []*object, q tables.Question) [][]any {
			raw := make([][]byte, len(objects))
			for i, o := range objects {
				raw[i] = o.raw
			}
			return builtin.Rows(raw, q)
		}
		return generator{&builtin.Columns, cells, builtin.Order}
	}
	if defined := version.AdditionalPrinterColumns; len(defined) > 0 {
		if custom, err := customColumns(defined); err == nil {
			return custom
		}
	}
	return plainColumns()
}

// plainColumns are those of any object.
func plainColumns() generator {
	columns := &cache.Columns{
		{Name: "Name", Type: "string", Format: "name", Description: metav1.ObjectMeta{}.SwaggerDoc()["name"]},
		{Name: "Age", Type: "date", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]},
	}
	cells := func(objects []*object, _ tables.Question) [][]any { return make([][]any, len(objects)) }
	return generator{columns: columns, cells: cells}
}

// fill sets the columns and cells of rows that have their metadata, and puts them in
// order. Of an object that is none of its type, name and age are what can be said.
func (g generator) fill(rows []*cache.Row, objects []*object, q tables.Question) {
	cells := g.cells(objects, q)
	for i, row := range rows {
		row.Columns, row.Cells = g.columns, cells[i]
		if row.Cells != nil {
			continue
		}
		for _, column := range *g.columns {
			var cell any
			switch column.Name {
			case "Name":
				cell = row.Name
			case "Age":
				cell = tables.Since(row.CreationTimestamp, q.Now)
			}
			row.Cells = append(row.Cells, cell)
		}
	}
	if g.order != nil {
		slices.SortStableFunc(rows, func(a, b *cache.Row) int { return g.order(a.Cells, b.Cells) })
	}
}

// customColumns makes cells with the API server's own code for custom resources. That
// counts dates from the present: so it is asked for them as text, too.
func customColumns(defined []apiextensionsv1.CustomResourceColumnDefinition) (generator, error) {
	asText := slices.Clone(defined)
	for i := range asText {
		if asText[i].Type == "date" {
			asText[i].Type = "string"
		}
	}
	convertor, err := tableconvertor.New(defined)
	if err != nil {
		return generator{}, err
	}
	texts, err := tableconvertor.New(asText)
	if err != nil {
		return generator{}, err
	}
	table, err := convert(convertor, &unstructured.Unstructured{Object: map[string]any{}})
	if err != nil {
		return generator{}, err
	}
	columns := cache.Columns(table.ColumnDefinitions)
	one := func(o *object, q tables.Question) []any {
		whole, err := o.unstructured(false)
		if err != nil {
			return nil
		}
		made, err := convert(convertor, whole)
		if err != nil {
			return nil
		}
		asText, err := convert(texts, whole)
		if err != nil {
			return nil
		}
		return datesFrom(asText.Rows[0].Cells, made, q)
	}
	cells := func(objects []*object, q tables.Question) [][]any {
		rows := make([][]any, len(objects))
		for i, o := range objects {
			rows[i] = one(o, q)
		}
		return rows
	}
	return generator{columns: &columns, cells: cells}, nil
}

// datesFrom puts ages as of the question in the place of those as of the present.
func datesFrom(texts []any, made *metav1.Table, q tables.Question) []any {
	cells := made.Rows[0].Cells
	for i, column := range made.ColumnDefinitions {
		text, isText := texts[i].(string)
		if column.Type != "date" || cells[i] == nil || !isText {
			continue
		}
		var date metav1.Time
		if err := date.UnmarshalQueryParameter(text); err == nil {
			cells[i] = tables.Since(date, q.Now)
		}
	}
	return cells
}

// convert survives what the JSONPath engine makes of expressions that no server
// has validated.
func convert(convertor rest.TableConvertor, o *unstructured.Unstructured) (table *metav1.Table, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("cannot make the columns: %v", caught)
		}
	}()
	table, err = convertor.ConvertToTable(context.Background(), o, nil)
	if err == nil && len(table.Rows) != 1 {
		err = fmt.Errorf("%d rows for one object", len(table.Rows))
	}
	return table, err
}
