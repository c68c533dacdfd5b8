package decode

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Tables reads the Tables of one ListerWatcher, whose rows share their columns.
type Tables struct {
	kind              schema.GroupVersionKind
	keepManagedFields bool
	columns           columns
}

// NewTables returns readers of Tables of one kind.
func NewTables(kind schema.GroupVersionKind, keepManagedFields bool) *Tables {
	return &Tables{kind: kind, keepManagedFields: keepManagedFields}
}

// WithMetadata reads Tables whose rows come with their metadata. A server that
// knows no Tables sends whole objects, which are kept.
func (t *Tables) WithMetadata() Readers {
	return t.readers(metadataObjects(t.kind, t.keepManagedFields), wholeObjects(t.kind, t.keepManagedFields))
}

// WithObjects reads Tables whose rows come with the whole object.
func (t *Tables) WithObjects() Readers {
	objects := wholeObjects(t.kind, t.keepManagedFields)
	return t.readers(objects, objects)
}

func (t *Tables) readers(objects, plain objectReader) Readers {
	table := t.table(objects, plain)
	return Readers{List: table.list, Object: table.object}
}

func (t *Tables) table(objects, plain objectReader) table {
	return table{kind: typeMeta(t.kind), columns: &t.columns, objects: objects, plain: plain, spare: &sync.Pool{}}
}

// CellsAlone reads Tables whose rows have cells and nothing else. Its error is
// ErrNoTable where the server sent something else.
func (t *Tables) CellsAlone() Reader {
	none := objectReader{row: func(*jsonObject) (*cache.Row, error) { return &cache.Row{}, nil }}
	return table{columns: &t.columns, objects: none}.cells
}

// table reads Tables.
type table struct {
	// kind is the type of rows without an object.
	kind    metav1.TypeMeta
	columns *columns
	// objects reads the objects in the rows.
	objects objectReader
	// plain reads what servers send that know no Tables, some aggregated APIs.
	plain objectReader
	// spare are *scannedTable, whose buffers are used again.
	spare *sync.Pool
}

// ErrNoTable is the error of what a server sends that knows no Tables.
var ErrNoTable = errors.New("the server sent no Table")

func (t table) list(data []byte) (runtime.Object, error) {
	list, err := t.cells(data)
	if errors.Is(err, ErrNoTable) {
		return t.plain.list(data)
	}
	return list, err
}

func (t table) object(data []byte) (runtime.Object, error) {
	if row := t.scan(data); row != nil {
		return row, nil
	}
	list, err := t.read(data)
	switch {
	case errors.Is(err, ErrNoTable):
		return t.plain.object(data)
	case err != nil:
		return nil, err
	case len(list.Items) != 1:
		return nil, fmt.Errorf("the server sent a Table of %d rows where one was expected", len(list.Items))
	}
	return list.Items[0], nil
}

// cells reads a Table, and nothing that is none.
func (t table) cells(data []byte) (runtime.Object, error) {
	list, err := t.read(data)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// read returns ErrNoTable for all that is no Table: a plain object may have
// members of the same names.
func (t table) read(data []byte) (*cache.RowList, error) {
	wire := jsonTable{Rows: jsonRows{kind: t.kind, objects: t.objects}}
	err := unmarshal(data, &wire)
	if wire.Kind != "Table" || !strings.HasPrefix(wire.APIVersion, metav1.GroupName+"/") {
		return nil, ErrNoTable
	}
	if err != nil {
		return nil, err
	}
	columns := t.columns.share(wire.ColumnDefinitions)
	for _, row := range wire.Rows.rows {
		row.Columns = columns
		nameByCells(row)
	}
	return &cache.RowList{ListMeta: wire.Metadata, Items: wire.Rows.rows}, nil
}

// nameByCells names a row that came without its object: nothing else has its
// name.
func nameByCells(row *cache.Row) {
	if row.Name != "" {
		return
	}
	if name, ok := cellOf(row, nameColumn(row.Columns)).(string); ok {
		row.Name = name
	}
}

// jsonTable is a Table.
type jsonTable struct {
	metav1.TypeMeta
	Metadata          metav1.ListMeta                `json:"metadata"`
	ColumnDefinitions []metav1.TableColumnDefinition `json:"columnDefinitions"`
	Rows              jsonRows                       `json:"rows"`
}

// jsonRows makes rows of a Table's rows, one after the other.
type jsonRows struct {
	kind    metav1.TypeMeta
	objects objectReader
	row     jsonRow
	rows    []*cache.Row
}

// jsonRow is a row of a Table.
type jsonRow struct {
	Cells  jsonCells  `json:"cells"`
	Object jsonObject `json:"object"`
}

// UnmarshalJSONFrom reads the rows.
func (r *jsonRows) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	_, err := elements(d, func() error {
		r.row.Cells.values = nil
		r.row.Object.reset(r.objects.keepManagedFields)
		if err := json.UnmarshalDecode(d, &r.row); err != nil {
			return err
		}
		row, err := r.objects.row(&r.row.Object)
		switch {
		case errors.Is(err, errNoObject):
			row = &cache.Row{TypeMeta: r.kind}
		case err != nil:
			return err
		}
		row.Cells = r.row.Cells.values
		r.rows = append(r.rows, row)
		return nil
	})
	return err
}

// jsonCells are the cells of one row. Equal cells, such as Running, are one value in
// memory in all rows, and decoded once.
type jsonCells struct {
	values []any
	// known are values by their texts.
	known map[string]any
	// width is how many cells the last row had.
	width int
}

// longestShared is how long a text may be that is worth being looked up.
const longestShared = 40

// UnmarshalJSONFrom reads the cells.
func (c *jsonCells) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	cells := make([]any, 0, c.width)
	there, err := elements(d, func() error {
		text, err := d.ReadValue()
		if err != nil {
			return err
		}
		cell, err := c.value(text)
		cells = append(cells, cell)
		return err
	})
	if c.values = nil; there {
		c.values, c.width = cells, len(cells)
	}
	return err
}

func (c *jsonCells) value(text []byte) (any, error) {
	if cell, ok := c.known[string(text)]; ok {
		return cell, nil
	}
	cell, err := scalar(text)
	if err != nil || len(text) > longestShared || text[0] == '[' || text[0] == '{' {
		return cell, err
	}
	if c.known == nil {
		c.known = map[string]any{}
	}
	c.known[string(text)] = cell
	return cell, nil
}

// scalar decodes a value; plain strings, of which cells are made, at once.
func scalar(text []byte) (value any, err error) {
	if text[0] == '"' && bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return string(text[1 : len(text)-1]), nil
	}
	err = kubejson.Unmarshal(text, &value)
	return value, err
}
