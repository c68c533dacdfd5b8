package completion

import (
	"encoding/json"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// document is an OpenAPI v3 document with what the documents of servers have.
const document = `{"components": {"schemas": {
"v1.Pod": {
  "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Pod"}],
  "properties": {
    "apiVersion": {"type": "string"},
    "metadata": {"description": "theirs", "allOf": [{"$ref": "#/components/schemas/v1.ObjectMeta"}]},
    "spec": {"$ref": "#/components/schemas/v1.PodSpec"},
    "$(reboot)": {"type": "string"},
    "loop": {"$ref": "#/components/schemas/loop"}
  }},
"v1.ObjectMeta": {"type": "object", "properties": {
  "name": {"type": "string"},
  "labels": {"type": "object", "additionalProperties": {"type": "string"}},
  "finalizers": {"type": "array", "items": {"type": "string"}}
}},
"v1.PodSpec": {"type": "object", "properties": {
  "nodeName": {"type": "string"},
  "nodeSelector": {"type": "object"},
  "containers": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/v1.Container"}]}},
  "byName": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/v1.Container"}}
}},
"v1.Container": {"type": "object", "properties": {"image": {"type": "string"}, "port": {"x-kubernetes-int-or-string": true}}},
"loop": {"$ref": "#/components/schemas/loop"},
"odd": "no schema"
}}}`

func TestCompletionContinuesAPathByTheFieldsOfItsType(t *testing.T) {
	var parsed map[string]any
	if err := json.Unmarshal([]byte(document), &parsed); err != nil {
		t.Fatal(err)
	}
	schemas := newSchemas(parsed)
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	for path, want := range map[string][]string{
		"":                              {"apiVersion=", "loop=", "metadata.", "spec."},
		"spec":                          {"spec."},
		"spec.node":                     {"spec.nodeName=", "spec.nodeSelector."},
		"spec.con":                      {"spec.containers[*]."},
		"spec.containers.":              nil,
		"spec.containers[*].":           {"spec.containers[*].image=", "spec.containers[*].port="},
		"spec.containers[0].im":         {"spec.containers[0].image="},
		`spec.containers[?(@.a=="b")].`: {`spec.containers[?(@.a=="b")].image=`, `spec.containers[?(@.a=="b")].port=`},
		"spec.byName.some.":             {"spec.byName.some.image=", "spec.byName.some.port="},
		`spec.byName.a\.b.im`:           {`spec.byName.a\.b.image=`},
		"metadata.":                     {"metadata.finalizers[*]=", "metadata.labels.", "metadata.name="},
		"metadata.labels.":              nil,
		"metadata.labels.app.":          nil,
		"metadata.name.":                nil,
		"spec.nodeName[*].":             nil,
		"loop.":                         nil,
		"nope.":                         nil,
	} {
		if got := schemas.continuations(pod, path, "="); len(got)+len(want) > 0 && !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
	if got := schemas.continuations(schema.GroupVersionKind{Version: "v1", Kind: "odd"}, "", ""); len(got) > 0 {
		t.Errorf("a kind that is not there has %q", got)
	}
	if got := newSchemas(nil).continuations(pod, "spec.", ""); len(got) > 0 {
		t.Errorf("without a document: %q", got)
	}
}
