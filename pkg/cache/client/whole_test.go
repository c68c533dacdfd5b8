package client

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// podA is a pod as a list of a built-in type holds it, with what a row needs.
const (
	podAMeta = `{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"5","creationTimestamp":"2024-05-01T10:00:00Z",
		"labels":{"app":"web"},"managedFields":[{"manager":"kubectl","operation":"Apply","fieldsV1":{"f:spec":{}}}]}`
	podA = `{"kind":"Pod","apiVersion":"v1","metadata":` + podAMeta + `,"spec":{"big":9007199254740993,"half":0.5},"status":{"Phase":"x","phase":"Running"}}`
)

func body(t *testing.T, row *cache.Row) map[string]any {
	t.Helper()
	u, err := row.Unstructured()
	if err != nil {
		t.Fatal(err)
	}
	return u.Object
}

// kubernetes/client-go#1328: the kind is set on items of lists, on the objects
// of events, and on deleted objects. kubernetes/kubernetes#17095: integers stay.
func TestWholeObjectsAreCompleteAndExact(t *testing.T) {
	bare := `{"metadata":` + podAMeta + `,"spec":{"big":9007199254740993,"half":0.5},"status":{"Phase":"x","phase":"Running"}}`
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if isWatch(r) {
			sendWatch(w, r, `{"type":"MODIFIED","object":`+bare+`}`, `{"type":"DELETED","object":`+bare+`}`)
			return
		}
		answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"next","remainingItemCount":3},"items":[`+bare+`]}`)
	})
	resource := from(t, config, pods(), cache.Whole)
	list := rowsOf(t, resource)
	if list.ResourceVersion != "7" || list.Continue != "next" || *list.RemainingItemCount != 3 {
		t.Errorf("got %+v", list.ListMeta)
	}
	types, events := eventsOf(t, resource, 2)
	if diff := cmp.Diff([]string{"MODIFIED", "DELETED"}, types); diff != "" {
		t.Error(diff)
	}
	want := map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{
			"name": "a", "namespace": "ns", "uid": "u1", "resourceVersion": "5",
			"creationTimestamp": "2024-05-01T10:00:00Z", "labels": map[string]any{"app": "web"},
		},
		"spec":   map[string]any{"big": int64(9007199254740993), "half": 0.5},
		"status": map[string]any{"Phase": "x", "phase": "Running"},
	}
	for _, object := range append(events, runtime.Object(list.Items[0])) {
		row := object.(*cache.Row)
		if diff := cmp.Diff(want, body(t, row)); diff != "" {
			t.Error(diff)
		}
		expectPodA(t, row, false)
	}
}

// expectPodA checks the metadata of a row of podA.
func expectPodA(t *testing.T, row *cache.Row, managedFields bool) {
	t.Helper()
	if row.Kind != "Pod" || row.APIVersion != "v1" || row.Name != "a" || row.Namespace != "ns" || row.UID != "u1" ||
		row.ResourceVersion != "5" || row.Labels["app"] != "web" || row.CreationTimestamp.Unix() != 1714557600 {
		t.Errorf("metadata %+v %+v", row.TypeMeta, row.ObjectMeta)
	}
	if has := len(row.ManagedFields) == 1 && row.ManagedFields[0].FieldsV1.GetRawString() == `{"f:spec":{}}`; has != managedFields {
		t.Errorf("managedFields %v, want them: %v", row.ManagedFields, managedFields)
	}
}

func TestManagedFieldsAreKeptWhereAskedFor(t *testing.T) {
	table := `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["a"],"object":` + podA + `}]}`
	for rep, list := range map[cache.Representation]string{
		cache.Metadata:            `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[` + podA + `]}`,
		cache.Whole:               `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[` + podA + `]}`,
		cache.Cells:               table,
		cache.Cells | cache.Whole: table,
	} {
		t.Run(rep.String(), func(t *testing.T) {
			config := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, list) })
			for _, keep := range []cache.Representation{0, cache.ManagedFields} {
				row := rowsOf(t, from(t, config, pods(), rep|keep)).Items[0]
				expectPodA(t, row, keep != 0)
				if !rep.Has(cache.Whole) {
					continue
				}
				if _, has := body(t, row)["metadata"].(map[string]any)["managedFields"]; has != (keep != 0) {
					t.Errorf("the body has managedFields: %v", has)
				}
			}
		})
	}
}

func TestBodyKeepsItsOwnKind(t *testing.T) {
	target := cache.Target{
		Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
		Kind:     schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
	}
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, `{"kind":"List","apiVersion":"v1","metadata":{},"items":[
			{"kind":"Widget","apiVersion":"example.com/v1beta1","metadata":{"name":"old"}},{"metadata":{"name":"bare"}}]}`)
	})
	rows := rowsOf(t, from(t, config, target, cache.Whole)).Items
	if rows[0].APIVersion != "example.com/v1beta1" || rows[1].APIVersion != "example.com/v1" || rows[1].Kind != "Widget" {
		t.Errorf("got %+v and %+v", rows[0].TypeMeta, rows[1].TypeMeta)
	}
}

func TestErrorEventOfAWatchIsTheServersStatus(t *testing.T) {
	for _, rep := range []cache.Representation{cache.Metadata, cache.Cells, cache.Whole, cache.Cells | cache.Whole} {
		config := serve(t, func(w http.ResponseWriter, r *http.Request) {
			sendWatch(w, r, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
				"message":"too old resource version: 1 (9)","reason":"Expired","code":410}}`)
		})
		_, events := eventsOf(t, from(t, config, pods(), rep), 1)
		if err := apierrors.FromObject(events[0]); !apierrors.IsResourceExpired(err) {
			t.Errorf("%v: got %v", rep, err)
		}
	}
}

func TestBookmarkOfAWatchIsARowWithItsVersion(t *testing.T) {
	bare := `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"9","creationTimestamp":null}}`
	table := `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columnDefinitions":[{"name":"Name"}],
		"rows":[{"cells":[""],"object":` + bare + `}]}`
	for rep, object := range map[cache.Representation]string{
		cache.Metadata: bare, cache.Whole: bare, cache.Cells: table, cache.Cells | cache.Whole: table,
	} {
		config := serve(t, func(w http.ResponseWriter, r *http.Request) {
			sendWatch(w, r, `{"type":"BOOKMARK","object":`+object+`}`)
		})
		types, events := eventsOf(t, from(t, config, pods(), rep), 1)
		if types[0] != "BOOKMARK" || events[0].(*cache.Row).ResourceVersion != "9" {
			t.Errorf("%v: got %v %+v", rep, types, events[0])
		}
	}
}
