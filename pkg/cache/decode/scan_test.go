package decode

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apijson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
)

// texts are JSON, and what is nearly that.
var texts = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `-`, `01`, `1.`, `1.5e+07`, `1e`, `1e-`, `.5`, `true`, `tru`, `falsee`, `null`, `nil`, ``, ` `,
	`{"a":1,"b":[1,2,{"c":"d"}],"e":null}`, `{"a":1,}`, `{,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a" 1}`, `{"a":}`, `{a:1}`, `{"a":1`, `[1`, `[}`, `{]`,
	" {\t\"a\" :\r\n[ 1 , 2 ] } ", `"a\"b\\"`, `"\u00e9\ud83d\ude00\/\b\f\n\r\t"`, `"\u12g4"`, `"\u12"`, `"\x"`, `"\`, `"a`,
	"\"a\tb\"", "\"\x1f\"", "\"\x7f\xff\xc3\"", "\"eight by\teight\"", `"eight by\"eight"`, `"eight by"`, `{} {}`, `{}x`,
	strings.Repeat("[", 400) + strings.Repeat("]", 400),
}

// scans says whether all of the text is one value, as far as the scanner goes.
func scans(text string) bool {
	end := valueEnd([]byte(text), spaceEnd([]byte(text), 0), 0)
	return end >= 0 && spaceEnd([]byte(text), end) == len(text)
}

func TestAScanTakesJSONAndNothingElse(t *testing.T) {
	for _, text := range texts {
		if got, want := scans(text), json.Valid([]byte(text)); got != want {
			t.Errorf("%q is taken: %v, and is JSON: %v", text, got, want)
		}
	}
	if deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000); scans(deep) {
		t.Error("there is no end to how deep it goes")
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := scans(text), json.Valid([]byte(text)); got != want && strings.Count(text, "[")+strings.Count(text, "{") < deepest {
			t.Errorf("%q is taken: %v, and is JSON: %v", text, got, want)
		}
	})
}

// metas are metadata, and what is nearly that.
var metas = []string{
	`{"name":"a","generateName":"a-","namespace":"n","uid":"u","resourceVersion":"7","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z",` +
		`"labels":{"a":"b","c":""},"annotations":{"x":"{\"y\":\"z\"}","é":"ü"},"ownerReferences":[{"kind":"K","name":"o","uid":"1","controller":true}],` +
		`"finalizers":["f"],"deletionTimestamp":"2026-01-01T00:00:01.5+02:00","deletionGracePeriodSeconds":30,"selfLink":"/x","managedFields":[{"manager":"m"}],"more":[1]}`,
	`{}`, ` { "name" : "a" } `, `null`, `[]`, `{"name":7}`, `{"name":null,"labels":null,"annotations":null,"ownerReferences":null,"generation":null,"creationTimestamp":null}`,
	`{"labels":{"a":"b"},"labels":{"c":"d"}}`, `{"annotations":{"a":"b","a":"c"},"annotations":{"d":"e"}}`, `{"ownerReferences":[{"name":"a"}],"ownerReferences":[{"uid":"b"}]}`,
	`{"n\u0061me":"a"}`, `{"l\u0061bels":{"a":"b"},"labels":{"c":"d"}}`, `{"name":"\u0061\ud800","labels":{"\u0061":"b"}}`, `{"Name":"a","NAME":"b"}`,
	`{"generation":1.0}`, `{"generation":1e3}`, `{"generation":99999999999999999999}`, `{"generation":-0}`, `{"creationTimestamp":"yesterday"}`, `{"labels":{"a":1}}`,
	"{\"name\":\"\xff\",\"annotations\":{\"\xff\":\"\xff\"}}", `{"name":"a"}x`, `{"name":"a"`, `{"annotations":{}}`, `{"labels":{}}`, `{"labels":[]}`, `{"finalizers":"x"}`,
}

// expectMeta reads metadata twice, since what is read first is shared.
func expectMeta(t *testing.T, text string) {
	t.Helper()
	meta := newSharedMeta()
	for range 2 {
		var want, got metav1.ObjectMeta
		wantErr := kubejson.Unmarshal([]byte(text), &want)
		err := meta.decodeJSON([]byte(text), &got)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: got the error %v, want %v", text, err, wantErr)
		}
		if diff := cmp.Diff(want, got); err == nil && diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestMetadataIsReadAsIfItWereDecoded(t *testing.T) {
	for _, text := range metas {
		expectMeta(t, text)
	}
}

func FuzzMetadata(f *testing.F) {
	for _, text := range metas {
		f.Add(text)
	}
	f.Fuzz(expectMeta)
}

func TestEqualLabelsInJSONAreOneValue(t *testing.T) {
	meta := newSharedMeta()
	var one, other metav1.ObjectMeta
	for into, text := range map[*metav1.ObjectMeta]string{&one: `{"labels":{"a":"b"}}`, &other: `{"name":"x","labels":{"a":"b"}}`} {
		if err := meta.decodeJSON([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	one.Labels["c"] = "d"
	if other.Labels["c"] != "d" {
		t.Error("equal labels are decoded twice")
	}
}

const someFields = `"managedFields":[{"manager":"kubelet","fieldsV1":{"f:status":{"k:{\"type\":\"Ready\"}":{}}}}]`

// withFields are events with managedFields, and with what is nearly that.
var withFields = []string{
	`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",` + someFields + `,"uid":"u"},"spec":{"metadata":{"name":"x",` + someFields + `}}}}`,
	`{"type":"ADDED","object":{"kind":"Pod","metadata":{` + someFields + `,"name":"a"},"rows":[{"object":{"metadata":{"name":"b",` + someFields + `}}}]}}`,
	`{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a"],"object":{"metadata":{"name":"a" , ` + someFields + ` }}}]}}`,
	`{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"name":"a",` + someFields + `},"spec":1}},{"object":null}]}}`,
	`{"type":"ADDED","object":{"apiVersion":"x.io/v1","kind":"Table","metadata":{"name":"a"},"rows":[{"object":{"metadata":{"name":"b",` + someFields + `}}}]}}`,
	`{"type":"ADDED","object":{"metadata":{"name":"a","m\u0061nagedFields":[],"managedFields":null,"managedFields":7}}}`,
	`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":410}}`,
	`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}}` + "\n" + `{"type":"ADDED"}`, `{"object":[{"metadata":{}}]}`, `{"object":{"metadata":[]}}`, `7 {}`,
}

// eventsOf reads a stream to its end: rows, or errors.
func eventsOf(framer JSONFramer, text string, read Reader) (events []any) {
	frames, end := framesOf(framer, strings.NewReader(text), 1000)
	for _, frame := range frames {
		var event metav1.WatchEvent
		if _, _, err := (EventSerializer{}).Decode([]byte(frame), nil, &event); err != nil {
			events = append(events, "no event")
			continue
		}
		events = append(events, event.Type)
		row, err := read(event.Object.Raw)
		if err != nil {
			row = nil
		}
		events = append(events, row)
	}
	return append(events, end == io.EOF)
}

func expectSameWithoutFields(t *testing.T, text string) {
	t.Helper()
	framer := JSONFramer{Framer: apijson.Framer}
	dropping := framer
	dropping.DropManagedFields = true
	tables := NewTables(widgetKind, false)
	for name, read := range map[string]Reader{
		"whole": WholeJSON(widgetKind, false).Object, "metadata": MetadataJSON(widgetKind, false).Object,
		"cells and metadata": tables.WithMetadata().Object, "cells and objects": tables.WithObjects().Object,
	} {
		want, got := eventsOf(framer, text, read), eventsOf(dropping, text, read)
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b jsonBody) bool { return a.Equal(b) }), cmpopts.IgnoreUnexported(cache.Row{})); diff != "" {
			t.Errorf("%q, %s: %s", text, name, diff)
		}
	}
}

func TestAnEventIsTheSameWithoutItsManagedFields(t *testing.T) {
	for _, text := range withFields {
		expectSameWithoutFields(t, text)
	}
	frames, _ := framesOf(JSONFramer{DropManagedFields: true}, strings.NewReader(strings.Join(withFields[:5], "\n")+"\n"), 100)
	for n, want := range []int{1, 2, 0, 0, 1} {
		if got := strings.Count(frames[n], "kubelet"); got != want {
			t.Errorf("%d managedFields are left of %s: %s", got, withFields[n], frames[n])
		}
	}
}

func FuzzManagedFieldsOfEvents(f *testing.F) {
	for _, text := range withFields {
		f.Add(text)
	}
	f.Fuzz(expectSameWithoutFields)
}

// tableEvents are Tables as events have them, and what is nearly that.
var tableEvents = []string{
	`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":null,"rows":[{"cells":["a","1/1",3,null,1.5,true,["x"]],` +
		`"object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u",` + someFields + `},"spec":{"x":[1]},"status":{}}}]}`,
	`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["\u0061"],"conditions":[],"object":{"metadata":{}}}]}`,
	`{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name","format":"name"}],"rows":[{"cells":["a"],"object":{"metadata":{"name":"a"}}}]}`,
	`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a"],"object":{"metadata":{"name":"a"}}},{"cells":["b"],"object":{"metadata":{"name":"b"}}}]}`,
	`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":[],"object":{"metadata":{"name":"a"}}}]}`,
	`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a"],"object":null}]}`, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"name":"a"}}}]}`,
	`{"kind":"Table","apiVersion":"v1","rows":[{"cells":["a"],"object":{"metadata":{"name":"a"}}}]}`, `{"kind":"Pod","metadata":{"name":"a"}}`,
	`{"rows":[{"cells":["a"],"object":{"metadata":{"name":"a"}}}],"kind":"Table","apiVersion":"meta.k8s.io/v1"}`,
	`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a"],"cells":["b"],"object":{"metadata":{"name":"a"}},"object":{"metadata":{"name":"b"}}}]}`,
	`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":["a"],"object":{"kind":"","metadata":{"name":"a"},"metad\u0061ta":{"uid":"b"}}}]}`,
}

// expectSameTable compares what is scanned with what is decoded.
func expectSameTable(t *testing.T, text string) {
	t.Helper()
	for name, objects := range map[string]objectReader{
		"metadata": metadataObjects(widgetKind, false), "all metadata": metadataObjects(widgetKind, true),
		"objects": wholeObjects(widgetKind, false), "all of objects": wholeObjects(widgetKind, true),
	} {
		reader := NewTables(widgetKind, false).table(objects, objects)
		got := reader.scan([]byte(text))
		if got == nil {
			continue
		}
		want, err := reader.read([]byte(text))
		if err != nil || len(want.Items) != 1 {
			t.Fatalf("%q, %s: scanned, and read as %v, %v", text, name, want, err)
		}
		if diff := cmp.Diff(want.Items[0], got, cmp.Comparer(sameBody), cmpopts.IgnoreUnexported(cache.Row{})); diff != "" {
			t.Errorf("%q, %s: %s", text, name, diff)
		}
	}
}

// sameBody compares bodies as they are decoded.
func sameBody(a, b jsonBody) bool {
	x, errX := a.Unstructured()
	y, errY := b.Unstructured()
	return (errX == nil) == (errY == nil) && (errX != nil || cmp.Equal(x.Object, y.Object))
}

func TestAnEventOfATableIsReadAsIfItWereDecoded(t *testing.T) {
	for _, text := range tableEvents {
		expectSameTable(t, text)
	}
	whole := wholeObjects(widgetKind, false)
	if NewTables(widgetKind, false).table(whole, whole).scan([]byte(tableEvents[0])) == nil {
		t.Error("the event of a real server is decoded")
	}
}

func FuzzTableEvent(f *testing.F) {
	for _, text := range tableEvents {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true)) {
			expectSameTable(t, text)
		}
	})
}

// FuzzObjectScan compares an object that is scanned with one that is decoded.
func FuzzObjectScan(f *testing.F) {
	for _, text := range append(withFields, podA) {
		f.Add(text, true)
		f.Add(strings.TrimSuffix(strings.TrimPrefix(text, `{"type":"ADDED","object":`), "}"), false)
	}
	f.Fuzz(func(t *testing.T, text string, keepManagedFields bool) {
		if !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true)) {
			return
		}
		var scanned, read jsonObject
		scanned.reset(keepManagedFields)
		read.reset(keepManagedFields)
		if !scanned.scan([]byte(text)) {
			return
		}
		if err := unmarshal([]byte(text), &read); err != nil {
			t.Fatalf("%q: scanned, and decoded with %v", text, err)
		}
		got, _ := scanned.whole(scanned.TypeMeta)
		want, _ := read.whole(read.TypeMeta)
		if !sameBody(jsonBody{compress.Plain(got)}, jsonBody{compress.Plain(want)}) || scanned.Metadata.present != read.Metadata.present {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	})
}
