package printers

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
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
		if diff := cmp.Diff(want, projectionOf(template).of(object)); diff != "" {
			t.Errorf("%s: %s", template, diff)
		}
	}
}

// What is printed must not depend on what was left out.
func TestATemplatePrintsTheSameOfWhatItReads(t *testing.T) {
	var rows []*cache.Row
	for _, object := range shop()[0].objects {
		rows = append(rows, &cache.Row{Body: cache.MapBody(object.body)})
	}
	for _, template := range []string{
		`{.items[*].spec.nodeName}`, `{.items[*].metadata}`, `{.items[0].metadata.name} {.kind}`, `{.items[*].status.phase}`,
		`{range .items[*]}{.metadata.name}: {range .spec.containers[*]}{.name}={.image} {end}{"\n"}{end}`,
		`{.items[?(@.spec.nodeName=="node-1")].metadata.name}`, `{.items[*].spec.containers[7].name}`, `{.items[-1:].kind}`,
		`{..name}`, `{.items[*]['kind','apiVersion']}`, `{.items[0]}`, `{.items[*].spec.containers}`, `{.metadata.resourceVersion}`,
	} {
		newPrinter := func() (printers.ResourcePrinter, error) {
			printer, err := printers.NewJSONPathPrinter(template)
			if err == nil {
				printer.AllowMissingKeys(true)
			}
			return printer, err
		}
		answer := func(format format) (string, error) {
			var text bytes.Buffer
			w := bufio.NewWriter(&text)
			list := objectList{out: &output{format: format, template: template}, rows: rows, w: w}
			err := withoutPanic(func() error { return list.printAtOnce(newPrinter) })
			return text.String(), errors.Join(err, w.Flush())
		}
		want, wantErr := answer(goTemplate) // reads everything
		got, gotErr := answer(jsonPath)
		if got != want || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Errorf("%s:\ngot  %s %v\nwant %s %v", template, got, gotErr, want, wantErr)
		}
		if strings.Contains(template, "[7]") && wantErr == nil {
			t.Errorf("%s: nothing goes wrong", template)
		}
	}
}
