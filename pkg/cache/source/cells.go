package source

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// tableAccept is what kubectl asks for: a Table, new or old, else what there is.
const tableAccept = jsonType + ";as=Table;v=v1;g=meta.k8s.io," +
	jsonType + ";as=Table;v=v1beta1;g=meta.k8s.io," + jsonType

// cellsForm is one request a page: a Table whose rows come with their metadata.
func cellsForm(kind schema.GroupVersionKind, keepManagedFields bool) form {
	m := metadata{typeMeta: typeMeta(kind), managedFields: keepManagedFields}
	return tableForm(metav1.IncludeMetadata, table[wireObject]{
		columns: &columns{},
		plain:   whole{kind: kind, managedFields: keepManagedFields},
		row:     func(o wireObject) (*cache.Row, error) { return m.fromWire(&o) },
	})
}

// cellsAndWholeForm is a Table whose rows come with the whole object.
func cellsAndWholeForm(w whole) form {
	return tableForm(metav1.IncludeObject, table[map[string]any]{columns: &columns{}, plain: w, row: w.row})
}

func tableForm[O any](include metav1.IncludeObjectPolicy, t table[O]) form {
	return form{
		listAccept:    tableAccept,
		objectAccept:  tableAccept,
		includeObject: string(include),
		json:          readers{list: t.list, object: t.object},
	}
}

// table reads Tables whose rows carry their objects as O.
type table[O any] struct {
	columns *columns
	// plain reads what servers send that know no Tables, some aggregated APIs.
	plain whole
	row   func(O) (*cache.Row, error)
}

type wireTable[O any] struct {
	metav1.TypeMeta
	Metadata metav1.ListMeta                `json:"metadata"`
	Columns  []metav1.TableColumnDefinition `json:"columnDefinitions"`
	Rows     []wireRow[O]                   `json:"rows"`
}

type wireRow[O any] struct {
	Cells  []any `json:"cells"`
	Object O     `json:"object"`
}

func (t table[O]) list(data []byte) (runtime.Object, error) {
	wire, isTable, err := readTable[O](data)
	if err != nil {
		return nil, err
	}
	if !isTable {
		return t.plain.list(data)
	}
	definitions := t.columns.share(wire.Columns)
	list := &cache.RowList{ListMeta: wire.Metadata, Items: make([]*cache.Row, 0, len(wire.Rows))}
	for i := range wire.Rows {
		row, err := t.fill(&wire.Rows[i], definitions)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, row)
	}
	return list, nil
}

func (t table[O]) object(data []byte) (runtime.Object, error) {
	wire, isTable, err := readTable[O](data)
	if err != nil {
		return nil, err
	}
	if !isTable {
		return t.plain.object(data)
	}
	if len(wire.Rows) != 1 {
		return nil, fmt.Errorf("the server sent a Table of %d rows where one was expected", len(wire.Rows))
	}
	return t.fill(&wire.Rows[0], t.columns.share(wire.Columns))
}

func (t table[O]) fill(wire *wireRow[O], definitions *cache.Columns) (*cache.Row, error) {
	row, err := t.row(wire.Object)
	if err != nil {
		return nil, err
	}
	row.Columns, row.Cells = definitions, wire.Cells
	return row, nil
}

// readTable says whether data is a Table. Whether it can be read as one is an
// error only if it is: a plain object may have fields of the same names.
func readTable[O any](data []byte) (*wireTable[O], bool, error) {
	wire := &wireTable[O]{}
	err := kubejson.Unmarshal(data, wire)
	if wire.Kind != "Table" || !strings.HasPrefix(wire.APIVersion, metav1.GroupName+"/") {
		return nil, false, nil
	}
	return wire, true, err
}
