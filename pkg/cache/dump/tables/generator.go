package tables

import (
	"maps"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Question is what cells depend on besides the objects.
type Question struct {
	// Now is the time from which ages count.
	Now time.Time
	// Named says that one object was asked for by its name: a server marks the
	// default of several only where it prints a list.
	Named bool
}

// Generator makes the cells of one type's objects.
type Generator struct {
	// Columns are shared by all rows.
	Columns cache.Columns
	// Order compares the cells of two objects, of which some may be missing, for types
	// that a server sorts before it prints them; else it is nil.
	Order func(a, b []any) int
	rows  func(objects [][]byte, q Question) [][]any
}

// Rows returns the cells of each object, which is given as JSON, of one list. There
// are none for an object that cannot be read as one of its type.
func (g *Generator) Rows(objects [][]byte, q Question) [][]any { return g.rows(objects, q) }

// family is types that are printed alike, or belong together.
type family map[schema.GroupVersionKind]*Generator

// For returns the generator for a type, nil where there is none.
func For(kind schema.GroupVersionKind) *Generator { return all()[kind] }

// all returns the generators of all types.
func all() family {
	everything := family{}
	for _, types := range []family{
		pods(), workloads(), batch(), cluster(), services(), networking(), storage(),
		policies(), rights(), admission(), devices(), extensions(),
	} {
		maps.Copy(everything, types)
	}
	return everything
}

// columns are the definitions of a table's columns.
type columns cache.Columns

// show begins the columns with those that are always shown. One called Name is that of
// the object: kubectl puts a kind before it.
func show(names ...string) columns { return columns{}.show(names...) }

func (c columns) show(names ...string) columns { return c.add(0, names) }

// wide adds columns that only -o wide shows.
func (c columns) wide(names ...string) columns { return c.add(1, names) }

func (c columns) add(priority int32, names []string) columns {
	for _, name := range names {
		column := metav1.TableColumnDefinition{Name: name, Type: "string", Priority: priority}
		if name == "Name" {
			column.Format = "name"
		}
		c = append(c, column)
	}
	return c
}

// of makes a Generator of a function that returns the cells of one object.
func of[T any](columns columns, cells func(o *T, at clock) []any) *Generator {
	return ofList(columns, func(objects []*T, q Question) [][]any {
		rows := make([][]any, len(objects))
		for i, o := range objects {
			if o != nil {
				rows[i] = cells(o, clock{q.Now})
			}
		}
		return rows
	})
}

// ofList makes a Generator of a function that looks at all objects of a list. What
// could not be read is nil.
func ofList[T any](columns columns, rows func(objects []*T, q Question) [][]any) *Generator {
	return &Generator{Columns: cache.Columns(columns), rows: func(objects [][]byte, q Question) [][]any {
		decoded := make([]*T, len(objects))
		for i, text := range objects {
			o := new(T)
			if err := kubejson.Unmarshal(text, o); err == nil {
				decoded[i] = o
			}
		}
		return rows(decoded, q)
	}}
}

// clock tells ages.
type clock struct{ time.Time }

func (c clock) age(o metav1.Object) string { return c.since(o.GetCreationTimestamp()) }

func (c clock) since(t metav1.Time) string { return Since(t, c.Time) }

// Since is how long ago a time was, as a server prints it.
func Since(t metav1.Time, now time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(t.Time))
}

// created is the time itself, for the types whose age a server does not print.
func created(o metav1.Object) string {
	return o.GetCreationTimestamp().UTC().Format(time.RFC3339)
}

// orNone stands for text that may be missing.
func orNone(text string) string { return or(text, "<none>") }

func or(text, missing string) string {
	if text == "" {
		return missing
	}
	return text
}

// derefOr is what a pointer to text points at, or what stands for nil.
func derefOr[T ~string](pointer *T, missing string) string {
	if pointer == nil {
		return missing
	}
	return string(*pointer)
}

// firstOf joins the first n, and counts the others.
func firstOf(n int, all []string, separator, none string) string {
	switch {
	case len(all) > n:
		return strings.Join(all[:n], separator) + more(len(all)-n)
	case strings.Join(all, separator) == "":
		return none
	}
	return strings.Join(all, separator)
}
