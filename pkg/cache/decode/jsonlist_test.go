package decode

import (
	"encoding/json"
	"strings"
	"testing"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// odd are lists and tables that are no everyday ones.
var odd = []string{
	`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c","remainingItemCount":3},"items":[` + podA + `]}`,
	`{"items":[{"metadata":{"name":"a"},"kind":"","apiVersion":null},{"metadata":{},"kind":"X"}],"kind":"L"}`,
	" {\t\"kind\" : \"XList\" ,\n\"items\" : [ { \"metadata\" : { \"managedFields\" : [ ] , \"name\" : \"a\" } , \"s\" : [ 1 , 2 ] } ] } ",
	`{"kind":"XList","items":[{"m\u0065tadata":{"n\u0061me":"\u0061\/","m\u0061nagedFields":[]},"v":1e3,"w":-0,"x":1.50,"y":18446744073709551616}]}`,
	`{"kind":"XList","items":[]}`, `{"kind":"XList","items":null}`, `{"kind":"XList"}`, `{"items":[]}`, `{}`, `[]`, `null`, `7`, ``,
	`{"kind":"XList","items":[7]}`, `{"kind":"XList","items":{}}`, `{"kind":"XList","items":[{}]}`, `{"kind":"XList","items":[{"metadata":null}]}`,
	`{"kind":"XList","items":[{"metadata":[]}]}`, `{"kind":"XList","metadata":7,"items":[]}`, `{"kind":7,"items":[]}`,
	`{"kind":"XList","items":[{"metadata":{"name":7}}]}`, `{"kind":"XList","items":[{"metadata":{"name":"a"}}]} {}`,
	`{"kind":"XList","items":[{"metadata":{"name":"a"}}]`, `{"kind":"XList","items":[{"metadata":{"name":"a"`,
	`{"kind":"Status","apiVersion":"v1","status":"Failure"}`,
	"{\"kind\":\"XList\",\"items\":[{\"metadata\":{\"name\":\"\xff\"},\"\\ud800\":\"\U0001f600\"}]}",
}

// asMaps reads a list in the ordinary way: all of it, into nested maps.
func asMaps(data []byte) (rows []map[string]any, metas []metav1.ObjectMeta, err error) {
	var wire struct {
		metav1.TypeMeta
		Metadata metav1.ListMeta  `json:"metadata"`
		Items    []map[string]any `json:"items"`
	}
	if err := kubejson.Unmarshal(data, &wire); err != nil {
		return nil, nil, err
	}
	if isStatus(wire.TypeMeta) {
		return nil, nil, nil
	}
	if err := needList(wire.Kind, wire.Items != nil); err != nil {
		return nil, nil, err
	}
	known := typeMeta(widgetKind)
	for _, object := range wire.Items {
		metadata, ok := object["metadata"].(map[string]any)
		if !ok {
			return nil, nil, errNoObject
		}
		delete(metadata, "managedFields")
		for name, value := range map[string]string{"apiVersion": known.APIVersion, "kind": known.Kind} {
			if have, _ := object[name].(string); have == "" {
				object[name] = value
			}
		}
		text, err := json.Marshal(metadata)
		if err != nil {
			return nil, nil, err
		}
		var meta metav1.ObjectMeta
		if err := kubejson.Unmarshal(text, &meta); err != nil {
			return nil, nil, err
		}
		rows, metas = append(rows, object), append(metas, meta)
	}
	return rows, metas, nil
}

func expectAsMaps(t *testing.T, data []byte) {
	t.Helper()
	want, metas, wantErr := asMaps(data)
	object, err := wholeObjects(widgetKind, false).list(data)
	list, ok := object.(*cache.RowList)
	if err == nil && ok {
		err = bodiesError(list)
	}
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%q: got the error %v, want %v", data, err, wantErr)
	}
	if err != nil || !ok {
		return
	}
	if len(list.Items) != len(want) {
		t.Fatalf("%q: got %d rows, want %d", data, len(list.Items), len(want))
	}
	for i, row := range list.Items {
		if diff := cmp.Diff(want[i], body(t, row)); diff != "" {
			t.Errorf("%q: %s", data, diff)
		}
		if diff := cmp.Diff(metas[i], row.ObjectMeta); diff != "" {
			t.Errorf("%q: %s", data, diff)
		}
		if row.Kind != want[i]["kind"] || row.APIVersion != want[i]["apiVersion"] {
			t.Errorf("%q: type %v", data, row.TypeMeta)
		}
		expectJSONOf(t, row.Body.(jsonBody), want[i])
	}
}

// bodiesError is what becomes known only when a body is decoded, such as a number
// that is too large.
func bodiesError(list *cache.RowList) error {
	for _, row := range list.Items {
		if _, err := row.Unstructured(); err != nil {
			return err
		}
	}
	return nil
}

// expectJSONOf compares the JSON of a body, put in order, with that of its maps.
func expectJSONOf(t *testing.T, b jsonBody, maps map[string]any) {
	t.Helper()
	want, err := json.Marshal(maps)
	if err != nil {
		t.Fatal(err)
	}
	text, err := b.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := kubejson.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(got)
	if err != nil || string(again) != string(want) {
		t.Errorf("printed %s, want %s; %v", again, want, err)
	}
	// Numbers are printed as they are written.
	decoder := jsontext.NewDecoder(strings.NewReader(string(text)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return
		}
		if token.Kind() != '0' {
			continue
		}
		number := token.String()
		var value any
		if err := kubejson.Unmarshal([]byte(number), &value); err != nil {
			t.Fatal(err)
		}
		if plain, _ := json.Marshal(value); string(plain) != number {
			t.Errorf("the number %s is printed as it came, not as %s", number, plain)
		}
	}
}

func TestAListIsReadAsIfItWereDecoded(t *testing.T) {
	for _, data := range odd {
		expectAsMaps(t, []byte(data))
	}
}

// FuzzListOfObjects compares reading in pieces with the ordinary way.
func FuzzListOfObjects(f *testing.F) {
	for _, data := range odd {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// Of a name that is there twice no server knows which to send.
		if json.Valid(data) && !jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true)) {
			return
		}
		expectAsMaps(t, data)
	})
}

// tableInFull reads a Table in the ordinary way.
func tableInFull(data []byte) (cells [][]any, names []string, err error) {
	var wire struct {
		Rows []struct {
			Cells  []any                        `json:"cells"`
			Object metav1.PartialObjectMetadata `json:"object"`
		} `json:"rows"`
	}
	err = kubejson.Unmarshal(data, &wire)
	for _, row := range wire.Rows {
		cells, names = append(cells, row.Cells), append(names, row.Object.Name)
	}
	return cells, names, err
}

// FuzzTable compares reading a Table in pieces with the ordinary way.
func FuzzTable(f *testing.F) {
	f.Add([]byte(`{"cells":["a","1/1","Running",0,"5m\u0020",null,1.5,true,["x"],{"y":7}],"object":{"metadata":{"name":"a","managedFields":[{}]}}}`))
	f.Add([]byte(`{"cells":null,"object":{"metadata":{}}},{"object":{"metadata":{"name":"b"}},"cells":["a","a",1,1,"\ud83d\ude00"]}`))
	f.Fuzz(func(t *testing.T, rows []byte) {
		data := []byte(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[` + string(rows) + `]}`)
		if !jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true)) {
			return
		}
		reader := table{columns: &columns{}, objects: metadataObjects(widgetKind, true)}
		object, err := reader.cells(data)
		cells, names, wantErr := tableInFull(data)
		if err != nil || wantErr != nil {
			return
		}
		for i, row := range object.(*cache.RowList).Items {
			if diff := cmp.Diff(cells[i], row.Cells); diff != "" || row.Name != names[i] {
				t.Errorf("row %q, want %q; %s", row.Name, names[i], diff)
			}
		}
	})
}

func TestEqualCellsAreOneValue(t *testing.T) {
	data := `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a","Running"]},{"cells":["b","Running"]}]}`
	object, err := NewTables(widgetKind, false).CellsAlone()([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	rows := object.(*cache.RowList).Items
	first, second := rows[0].Cells[1].(string), rows[1].Cells[1].(string)
	if first != "Running" || unsafe.StringData(first) != unsafe.StringData(second) {
		t.Errorf("%q and %q are two values", first, second)
	}
}
