package dump

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// cells computes the cells of one type's objects.
type cells struct {
	// columns are shared by all rows.
	columns *cache.Columns
	// convertor is the API server's for custom resources; nil for plain columns.
	convertor rest.TableConvertor
}

// cellsOf returns the cells for the columns that are defined for a version. A
// version that defines none, or none that can be read, has plain columns, NAME
// and AGE, as it has on a server. So have built-in types: their columns are
// written in the server's code.
func cellsOf(version apiextensionsv1.CustomResourceDefinitionVersion) *cells {
	if defined := version.AdditionalPrinterColumns; len(defined) > 0 {
		convertor, err := tableconvertor.New(defined)
		if err == nil {
			c := &cells{convertor: convertor}
			if table, err := c.convert(&unstructured.Unstructured{Object: map[string]any{}}); err == nil {
				columns := cache.Columns(table.ColumnDefinitions)
				c.columns = &columns
				return c
			}
		}
	}
	return &cells{columns: &cache.Columns{
		{Name: "Name", Type: "string", Format: "name", Description: metav1.ObjectMeta{}.SwaggerDoc()["name"]},
		{Name: "Age", Type: "date", Description: metav1.ObjectMeta{}.SwaggerDoc()["creationTimestamp"]},
	}}
}

// fill sets the columns and cells of a row that has its metadata. Where they cannot be computed the name
// is the only cell.
func (c *cells) fill(row *cache.Row, o *object) {
	row.Columns, row.Cells = c.columns, []any{o.name}
	if c.convertor == nil {
		row.Cells = append(row.Cells, metatable.ConvertToHumanReadableDateType(row.CreationTimestamp))
		return
	}
	whole, err := o.unstructured(false)
	if err != nil {
		return
	}
	if table, err := c.convert(whole); err == nil && len(table.Rows) == 1 {
		row.Cells = table.Rows[0].Cells
	}
}

// convert survives what the JSONPath engine makes of expressions that no server
// has validated.
func (c *cells) convert(o *unstructured.Unstructured) (table *metav1.Table, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("cannot compute the columns: %v", caught)
		}
	}()
	return c.convertor.ConvertToTable(context.Background(), o, nil)
}
