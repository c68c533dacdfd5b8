package client

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func partialPodA() metav1.PartialObjectMetadata {
	return metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "a", Namespace: "ns", UID: "u1", ResourceVersion: "5", Labels: map[string]string{"app": "web"},
			CreationTimestamp: metav1.NewTime(time.Unix(1714557600, 0)),
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "kubectl", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{}}`)},
			}},
		},
	}
}

func inProtobuf(t *testing.T, object runtime.Object) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := newCodecs().protobuf.Encode(object, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestMetadataComesInProtobuf(t *testing.T) {
	var accepts []string
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		accepts = append(accepts, r.Header.Get("Accept"))
		w.Header().Set("Content-Type", protobufType)
		pod := partialPodA()
		if !isWatch(r) {
			list := &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{pod}}
			list.TypeMeta = metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}
			list.ResourceVersion, list.Continue = "7", "next"
			_, _ = w.Write(inProtobuf(t, list))
			return
		}
		var event bytes.Buffer
		if err := newCodecs().rawProtobuf.Encode(&metav1.WatchEvent{
			Type: "DELETED", Object: runtime.RawExtension{Raw: inProtobuf(t, &pod)},
		}, &event); err != nil {
			t.Error(err)
		}
		_, _ = protobuf.LengthDelimitedFramer.NewFrameWriter(w).Write(event.Bytes())
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	for _, keep := range []cache.Representation{0, cache.ManagedFields} {
		resource := from(t, config, pods(), cache.Metadata|keep)
		list := rowsOf(t, resource)
		if list.ResourceVersion != "7" || list.Continue != "next" {
			t.Errorf("got %+v", list.ListMeta)
		}
		expectPodA(t, list.Items[0], keep != 0)
		types, events := eventsOf(t, resource, 1)
		if types[0] != "DELETED" {
			t.Errorf("got %v", types)
		}
		expectPodA(t, events[0].(*cache.Row), keep != 0)
	}
	for i, form := range []string{"as=PartialObjectMetadataList;", "as=PartialObjectMetadata;"} {
		if first, _, _ := strings.Cut(accepts[i], ","); !strings.HasPrefix(first, protobufType+";"+form) {
			t.Errorf("asked first for %s", first)
		}
	}
}

func TestErrorInProtobufIsTheServersOwn(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		status := forbidden.ErrStatus
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		w.Header().Set("Content-Type", protobufType)
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write(inProtobuf(t, &status))
	})
	_, err := from(t, config, pods(), cache.Metadata).ListWithContext(t.Context(), metav1.ListOptions{})
	if err == nil || err.Error() != forbidden.Error() {
		t.Errorf("got %v", err)
	}
}

// Old aggregated servers send whole objects whatever is asked for.
func TestMetadataOfAServerThatSendsWholeObjects(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if isWatch(r) {
			sendWatch(w, r, `{"type":"ADDED","object":`+podA+`}`)
			return
		}
		answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+podA+`]}`)
	})
	resource := from(t, config, pods(), cache.Metadata)
	_, events := eventsOf(t, resource, 1)
	for _, object := range append(events, rowsOf(t, resource).Items[0]) {
		row := object.(*cache.Row)
		expectPodA(t, row, false)
		if row.Body != nil || row.Cells != nil {
			t.Errorf("kept more than metadata: %+v", row)
		}
	}
}

func TestMetadataWithoutAKindGetsTheTargets(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if isWatch(r) {
			sendWatch(w, r, `{"type":"ADDED","object":{"metadata":`+podAMeta+`}}`)
			return
		}
		answer(w, `{"metadata":{"resourceVersion":"7"},"items":[{"metadata":`+podAMeta+`}]}`)
	})
	resource := from(t, config, pods(), cache.Metadata)
	_, events := eventsOf(t, resource, 1)
	for _, object := range append(events, rowsOf(t, resource).Items[0]) {
		if diff := cmp.Diff("Pod", object.(*cache.Row).Kind); diff != "" {
			t.Error(diff)
		}
	}
}
