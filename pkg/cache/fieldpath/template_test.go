package fieldpath

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestATemplateReadsNoMoreThanItsPaths(t *testing.T) {
	object := map[string]any{
		"kind":     "Pod",
		"metadata": map[string]any{"name": "a", "labels": map[string]any{"app": "web", "tier": "front"}},
		"spec": map[string]any{
			"nodeName":   "node-1",
			"containers": []any{map[string]any{"image": "nginx", "name": "web"}},
		},
		"status": "odd",
	}
	spec := object["spec"].(map[string]any)
	for template, want := range map[string]map[string]any{
		`{.items[*].spec.nodeName}`:                                      {"spec": map[string]any{"nodeName": "node-1"}},
		`{.items[0].spec.containers[*].image}`:                           {"spec": map[string]any{"containers": spec["containers"]}},
		`{.items[*].spec.nodeName}{.items[*].spec}`:                      {"spec": spec},
		`{.items[*].spec}{.items[*].spec.nodeName}`:                      {"spec": spec},
		`{range .items[*]}{.metadata.name}{"\t"}{.kind}{end}`:            {"metadata": map[string]any{"name": "a"}, "kind": "Pod"},
		`{range .items[*]}{range .spec.containers[*]}{.image}{end}{end}`: {"spec": map[string]any{"containers": spec["containers"]}},
		`{.items[?(@.spec.nodeName=="node-1")].metadata.labels['app']}`:  {"spec": map[string]any{"nodeName": "node-1"}, "metadata": map[string]any{"labels": map[string]any{"app": "web"}}},
		`{.items[*].metadata.labels.app}`:                                {"metadata": map[string]any{"labels": map[string]any{"app": "web"}}},
		`{.items[*].status.phase}`:                                       {"status": "odd"},
		`{.kind}`:                                                        {"kind": "Pod"},
		`{.items}`:                                                       object,
		`{.items[*]}`:                                                    object,
		`{range .items[*]}{@}{end}`:                                      object,
		`{..image}`:                                                      object,
		`{.items[*]['kind','status']}`:                                   object,
		`{.items[?(@..image=="nginx")].kind}`:                            object,
		`{.items[*].*}`:                                                  object,
		`{`:                                                              object,
	} {
		if diff := cmp.Diff(want, ListTemplateTree(template).Project(object)); diff != "" {
			t.Errorf("%s: %s", template, diff)
		}
	}
}
