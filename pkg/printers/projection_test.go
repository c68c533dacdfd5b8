package printers

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

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
