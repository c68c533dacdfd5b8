package decode

import (
	"testing"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	podKind    = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	widgetKind = schema.GroupVersionKind{Group: "factory.example.com", Version: "v1", Kind: "Widget"}
)

// podA is a pod with what a row needs.
const podA = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"5",
	"creationTimestamp":"2024-05-01T10:00:00Z","labels":{"app":"web"},
	"managedFields":[{"manager":"kubectl","operation":"Apply","fieldsV1":{"f:spec":{}}}]},
	"spec":{"big":9007199254740993,"half":0.5},"status":{"Phase":"x","phase":"Running"}}`

// managedMeta is metadata with managedFields.
func managedMeta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "a", Labels: map[string]string{"app": "web"}, ManagedFields: []metav1.ManagedFieldsEntry{{
		Manager: "kubectl", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{}}`)},
	}}}
}

func body(t *testing.T, row *cache.Row) map[string]any {
	t.Helper()
	u, err := row.Unstructured()
	if err != nil {
		t.Fatal(err)
	}
	return u.Object
}

// envelope is an answer in protobuf.
func envelope(apiVersion, kind string, message []byte) []byte {
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: message}
	data, _ := unknown.Marshal()
	return append([]byte(protobufMagic), data...)
}
