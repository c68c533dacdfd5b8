package decode

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

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

func (t *Tables) readers(objects, plain objectTexts) Readers {
	table := table{kind: typeMeta(t.kind), columns: &t.columns, objects: objects, plain: plain}
	return Readers{List: table.list, Object: table.object}
}

// CellsAlone reads Tables whose rows have cells and nothing else. Its error is
// ErrNoTable where the server sent something else.
func (t *Tables) CellsAlone() Reader {
	none := objectTexts{row: func(*objectText) (*cache.Row, error) { return &cache.Row{}, nil }}
	return table{columns: &t.columns, objects: none}.cells
}

// table reads Tables.
type table struct {
	// kind is the type of rows without an object.
	kind    metav1.TypeMeta
	columns *columns
	// objects reads the objects in the rows.
	objects objectTexts
	// plain reads what servers send that know no Tables, some aggregated APIs.
	plain objectTexts
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
	text, list, reader := newText(data), &cache.RowList{}, &rowReader{kind: t.kind, objects: t.objects}
	var definitions []metav1.TableColumnDefinition
	head, err := text.list(`"rows"`, func() error {
		row, err := reader.read(text)
		list.Items = append(list.Items, row)
		return err
	}, func(m member) error {
		if m.is(`"columnDefinitions"`) {
			return text.decode(&definitions)
		}
		return text.skip(m)
	})
	if head.Kind != "Table" || !strings.HasPrefix(head.APIVersion, metav1.GroupName+"/") {
		return nil, ErrNoTable
	}
	list.ListMeta = head.ListMeta
	shared := t.columns.share(definitions)
	for _, row := range list.Items {
		if row != nil {
			row.Columns = shared
			nameByCells(row)
		}
	}
	return list, err
}

// nameByCells names a row that came without its object: nothing else says whose
// cells they are.
func nameByCells(row *cache.Row) {
	if row.Name != "" {
		return
	}
	if name, ok := cellOf(row, nameColumn(row.Columns)).(string); ok {
		row.Name = name
	}
}

// rowReader reads the rows of one Table.
type rowReader struct {
	kind    metav1.TypeMeta
	objects objectTexts
	object  objectText
	known   cellValues
}

func (r *rowReader) read(t *text) (*cache.Row, error) {
	var cells []any
	r.object.reset()
	err := t.members(func(m member) (err error) {
		switch {
		case m.is(`"cells"`):
			cells, err = r.known.read(t)
			return err
		case m.is(`"object"`):
			return r.object.read(t, r.objects.managedFields)
		}
		return t.skip(m)
	})
	if err != nil {
		return nil, err
	}
	row, err := r.objects.row(&r.object)
	switch {
	case errors.Is(err, errNoObject):
		row = &cache.Row{TypeMeta: r.kind}
	case err != nil:
		return nil, err
	}
	row.Cells = cells
	return row, nil
}

// cellValues are the values of cells by their texts: equal cells, such as
// Running, are one value in memory, and decoded once.
type cellValues struct {
	known map[string]any
	// width is how many cells the last row had.
	width int
}

// longestShared is how long a text may be that is worth being looked up.
const longestShared = 40

func (c *cellValues) read(t *text) ([]any, error) {
	cells := make([]any, 0, c.width)
	there, err := t.elements(func() error {
		text, err := t.value()
		if err != nil {
			return err
		}
		cell, err := c.value(text)
		cells = append(cells, cell)
		return err
	})
	if err != nil || !there {
		return nil, err
	}
	c.width = len(cells)
	return cells, nil
}

func (c *cellValues) value(text []byte) (any, error) {
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
