package printers

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// textBody is an object at hand as JSON.
type textBody string

func (b textBody) JSON() ([]byte, error) { return []byte(b), nil }

func (b textBody) Unstructured() (*unstructured.Unstructured, error) {
	var object map[string]any
	err := kubejson.Unmarshal([]byte(b), &object)
	return &unstructured.Unstructured{Object: object}, err
}

// oddValues are JSON values in spellings that Go would not choose, and in orders.
var oddValues = []string{
	`{"b":1,"a":{"d":[],"c":{}},"B":null,"":true}`, `[[],{},[{}],"a",-7,0.5,1e+21,9007199254740993]`,
	`"<a href=\"x\">&amp;\u2028\u003c\/\b\f\n\r\t\u0000\u007f\u0085\ufffe"`, `{"k\u00e9":1,"kz":2,"k\"":3,"k<":4}`,
	"{\"\U0001f600\":1,\"\uffee\":2,\"\ud7ff\":3}", `{"\ud83d\ude00":1,"\uffee":2}`, "\"\xff\"", `"\ud800"`,
	`"yes"`, `"0x1F"`, `"1_000"`, `"12:30:45"`, `"~"`, `"a: b"`, `"line\nline\n"`, `" lead"`, `"2024-05-01T10:00:00Z"`, `{"<<":{"a":1}}`,
	`{"word":["n","Null","TRUE","True","True","false:","a:b","a:","a: b","=a","a#b","a #b","10.0.0.1","1e3","0o7","-","--- a","a,b","a@b","[a","*a","&a","!a","%a","a-"]}`,
	`{"y":1,"No":2,"on":3,"nul":4,"a-b":5,"ab":6,"a.b":7,"a/b":8,"-a":9,"b c":{"y":[{"on":{"a b":"a b"}}]}}`,
	`{"deep":[{"down":[[1,[2]],[],[[]],{},{"a":[{"b":["` + strings.Repeat("some words ", 20) + `"]}]}]}],"text":"one\n\n  two\n","tail":" a "}`,
	`{"` + strings.Repeat("long", 40) + `":{"a":"b"},"` + strings.Repeat("name", 24) + `":"` + strings.Repeat("x", 200) + `"}`,
	`{"a10":1,"a9":2,"A":3,"a-b":4,"a_b":5}`, `1e400`, `-0`, `1.50`, `123456789012345678901`,
}

// objectWith is an object that holds a value.
func objectWith(value string) string {
	return `{"spec":` + value + `,"metadata":{"name":"a"},"kind":"Widget","apiVersion":"v1"}`
}

// isPlain says whether a text is one that a JSONBody may return.
func isPlain(text string) bool {
	decoder := jsontext.NewDecoder(strings.NewReader(text))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return json.Valid([]byte(text))
		}
		if token.Kind() != '0' {
			continue
		}
		number := token.String()
		var value any
		if kubejson.Unmarshal([]byte(number), &value) != nil {
			return false
		}
		if again, _ := json.Marshal(value); string(again) != number {
			return false
		}
	}
}

func expectAsFromMaps(t *testing.T, text string) {
	t.Helper()
	object, err := textBody(text).Unstructured()
	if err != nil {
		return
	}
	short := &cache.Row{Body: textBody(text)}
	long := &cache.Row{Body: cache.MapBody(object.Object)}
	for _, layout := range []jsonLayout{asItem, asLine} {
		want, wantErr := appendJSON([]byte("> "), long, layout, false)
		got, err := appendJSON([]byte("> "), short, layout, false)
		if string(got) != string(want) || (err != nil) != (wantErr != nil) {
			t.Errorf("%q:\ngot  %s, %v\nwant %s, %v", text, got, err, want, wantErr)
		}
	}
}

func TestJSONAtHandIsPrintedAsFromMaps(t *testing.T) {
	tried := 0
	for _, value := range oddValues {
		if text := objectWith(value); isPlain(text) {
			tried++
			expectAsFromMaps(t, text)
		}
	}
	if tried < len(oddValues)/2 {
		t.Errorf("only %d texts were tried", tried)
	}
}

func FuzzJSONAtHand(f *testing.F) {
	for _, value := range oddValues {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if text := objectWith(value); isPlain(text) {
			expectAsFromMaps(t, text)
		}
	})
}

func TestManagedFieldsAtHandAreNotShown(t *testing.T) {
	body := textBody(`{"kind":"Widget","apiVersion":"v1","metadata":{"managedFields":[{"manager":"kubectl"}]}}`)
	row := &cache.Row{Body: body}
	row.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	for _, show := range []bool{false, true} {
		line, err := appendJSON(nil, row, asLine, show)
		if shown := bytes.Contains(line, []byte("managedFields")); err != nil || shown != show {
			t.Errorf("printed %s, %v", line, err)
		}
	}
}

// expectYAMLAsKubectls compares with what kubectl's printer makes of a List.
func expectYAMLAsKubectls(t *testing.T, text string) {
	t.Helper()
	object, err := textBody(text).Unstructured()
	if err != nil {
		return
	}
	var want strings.Builder
	list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*object}}
	wantErr := yamlPrinter(yamlDocument, false).PrintObj(list, &want)
	got, err := new(yamlItems).item(object, false)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if wantErr == nil && inLibrarysOrder(text, "items:\n"+string(got)) != inLibrarysOrder(text, want.String()) {
		t.Errorf("%q:\ngot  %s\nwant %s", text, got, want.String())
	}
}

// inLibrarysOrder leaves out the order of lines where the library has none: for
// it, a9 comes before a10, that before a1A, and that before a9.
func inLibrarysOrder(text, yaml string) string {
	if !strings.ContainsAny(strings.Replace(text, `"v1"`, "", 1), "0123456789") {
		return yaml
	}
	lines := strings.Split(yaml, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestAnItemInYAMLIsAsKubectlsPrinterHasIt(t *testing.T) {
	for _, value := range oddValues {
		expectYAMLAsKubectls(t, objectWith(value))
	}
}

func FuzzYAMLItem(f *testing.F) {
	for _, value := range oddValues {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) { expectYAMLAsKubectls(t, objectWith(value)) })
}

// sortedBody is a textBody of which it is known that it is sorted.
type sortedBody struct{ textBody }

func (sortedBody) HasSortedJSON() {}

func TestSortedJSONIsPrintedAsItIs(t *testing.T) {
	for _, value := range oddValues {
		object, err := textBody(objectWith(value)).Unstructured()
		if err != nil {
			continue
		}
		sorted, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		for _, layout := range []jsonLayout{asItem, asLine} {
			want, err := appendJSON(nil, &cache.Row{Body: cache.MapBody(object.Object)}, layout, false)
			if err != nil {
				t.Fatal(err)
			}
			got, err := appendJSON(nil, &cache.Row{Body: sortedBody{textBody(bytes.TrimSpace(sorted))}}, layout, false)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s:\ngot  %s, %v\nwant %s", value, got, err, want)
			}
		}
	}
}
