package client

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

const (
	twoColumns = `[{"name":"Name","type":"string","format":"name","description":"d","priority":0},{"name":"Restarts","type":"integer","format":"","description":"","priority":1}]`
	oneColumn  = `[{"name":"Name","type":"string","format":"name","description":"d","priority":0}]`
)

// tableOf is a Table of one row for podA, in the given version.
func tableOf(version, definitions string, cells string) string {
	return fmt.Sprintf(`{"kind":"Table","apiVersion":"meta.k8s.io/%s","metadata":{"resourceVersion":"7"},
		"columnDefinitions":%s,"rows":[{"cells":%s,"object":%s}]}`, version, definitions, cells, podA)
}

func added(object string) string { return `{"type":"ADDED","object":` + object + "}\n" }

func TestCellsComeAsTheServerPrintsThem(t *testing.T) {
	for _, rep := range []cache.Representation{cache.Cells, cache.Cells | cache.Whole} {
		for _, version := range []string{"v1", "v1beta1"} {
			config := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if isWatch(r) {
					sendWatch(w, r, added(tableOf(version, twoColumns, `["a",3]`)))
					return
				}
				answer(w, tableOf(version, twoColumns, `["a",3]`))
			})
			resource := from(t, config, pods(), rep)
			list := rowsOf(t, resource)
			_, events := eventsOf(t, resource, 1)
			for _, row := range []*cache.Row{list.Items[0], events[0].(*cache.Row)} {
				expectPodA(t, row, false)
				if diff := cmp.Diff([]any{"a", int64(3)}, row.Cells); diff != "" {
					t.Error(diff)
				}
				want := metav1.TableColumnDefinition{Name: "Restarts", Type: "integer", Priority: 1}
				if diff := cmp.Diff(want, (*row.Columns)[1]); diff != "" {
					t.Error(diff)
				}
				if rep.Has(cache.Whole) != (row.Body != nil) {
					t.Errorf("%v: body %v", rep, row.Body)
				}
			}
			if list.ResourceVersion != "7" {
				t.Errorf("resourceVersion %q", list.ResourceVersion)
			}
		}
	}
}

func TestCellsAndWholeObjectsShareOneAnswer(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, tableOf("v1", twoColumns, `["a",3]`)) })
	row := rowsOf(t, from(t, config, pods(), cache.Cells|cache.Whole)).Items[0]
	if big := body(t, row)["spec"].(map[string]any)["big"]; big != int64(9007199254740993) {
		t.Errorf("got %v", big)
	}
}

// A printer sees by the pointer when it must write a new header.
func TestColumnsAreOnePointerUntilTheyChange(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if isWatch(r) {
			sendWatch(w, r,
				added(tableOf("v1", twoColumns, `["a",3]`)), added(tableOf("v1", `null`, `["a",4]`)),
				added(tableOf("v1", oneColumn, `["a"]`)), added(tableOf("v1", `[]`, `["a"]`)),
				added(tableOf("v1", twoColumns, `["a",5]`)))
			return
		}
		answer(w, tableOf("v1", twoColumns, `["a",3]`))
	})
	resource := from(t, config, pods(), cache.Cells)
	listed := rowsOf(t, resource).Items[0].Columns
	if again := rowsOf(t, resource).Items[0].Columns; again != listed {
		t.Error("a second list has other columns")
	}
	_, events := eventsOf(t, resource, 5)
	var got []*cache.Columns
	for _, e := range events {
		got = append(got, e.(*cache.Row).Columns)
	}
	if got[0] != listed || got[1] != listed || got[2] == listed || got[3] != got[2] || got[4] != listed {
		t.Errorf("columns %p of the list, then %p", listed, got)
	}
	if len(*got[2]) != 1 {
		t.Errorf("the changed columns are %v", *got[2])
	}
}

// Some aggregated APIs know no Tables and send what they have.
func TestCellsOfAServerThatSendsPlainObjects(t *testing.T) {
	for _, rep := range []cache.Representation{cache.Cells, cache.Cells | cache.Whole} {
		config := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if isWatch(r) {
				sendWatch(w, r, added(podA))
				return
			}
			answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+podA+`]}`)
		})
		resource := from(t, config, pods(), rep)
		_, events := eventsOf(t, resource, 1)
		for _, row := range []*cache.Row{rowsOf(t, resource).Items[0], events[0].(*cache.Row)} {
			expectPodA(t, row, false)
			if row.Columns != nil || row.Cells != nil || body(t, row)["spec"] == nil {
				t.Errorf("got %+v", row)
			}
		}
	}
}

func TestPlainObjectThatLooksLikeATable(t *testing.T) {
	for _, object := range []string{
		`{"kind":"Pod","apiVersion":"v1","metadata":` + podAMeta + `,"rows":"seven","columnDefinitions":{"x":1}}`,
		`{"kind":"Table","apiVersion":"furniture.example.com/v1","metadata":` + podAMeta + `,"rows":[]}`,
	} {
		config := serve(t, func(w http.ResponseWriter, r *http.Request) { sendWatch(w, r, added(object)) })
		_, events := eventsOf(t, from(t, config, pods(), cache.Cells), 1)
		if row, ok := events[0].(*cache.Row); !ok || row.Name != "a" || row.Body == nil {
			t.Errorf("got %+v", events[0])
		}
	}
}

func TestTableEventOfOtherThanOneRowIsAnError(t *testing.T) {
	for _, rows := range []string{`[]`, `[{"cells":[],"object":` + podA + `},{"cells":[],"object":` + podA + `}]`} {
		config := serve(t, func(w http.ResponseWriter, r *http.Request) {
			sendWatch(w, r, added(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"rows":`+rows+`}`))
		})
		types, _ := eventsOf(t, from(t, config, pods(), cache.Cells), 1)
		if types[0] != "ERROR" {
			t.Errorf("a Table event of rows %s came as %v", rows, types)
		}
	}
}

// kubectl prints such rows: the cells are there.
func TestARowWithoutItsObjectIsKeptByItsCells(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, tableText(`{"cells":["a",1],"object":`+podA+`},{"cells":["b",2],"object":null},{"cells":["c",3]}`))
	})
	for _, rep := range []cache.Representation{cache.Cells, cache.Cells | cache.Whole} {
		rows := rowsOf(t, from(t, config, pods(), rep)).Items
		for i, name := range []string{"a", "b", "c"} {
			if len(rows) != 3 || rows[i].Name != name || rows[i].Cells[0] != name || rows[i].Kind != "Pod" {
				t.Fatalf("%v: got %+v", rep, rows)
			}
		}
	}
}
