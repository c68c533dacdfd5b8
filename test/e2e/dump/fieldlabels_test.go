package dump

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
)

// fieldLabels returns the field labels that the API server knows for some type, as
// its code names them: no API lists them. A label of a new Kubernetes is among them.
// metadata.namespace is left out: the server knows it for all but a few types, some
// of which have namespaces and some do not.
func fieldLabels(t *testing.T) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "k8s.io/kubernetes")
	command.Dir = filepath.FromSlash("../../controlplane")
	out, err := command.Output()
	var module struct{ Dir string }
	if err != nil || json.Unmarshal(out, &module) != nil {
		t.Fatalf("the API server's code: %v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(module.Dir, "pkg", "apis", "*", "*", "conversion.go"))
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, file := range files {
		text := readText(t, file)
		if !strings.Contains(text, "AddFieldLabelConversionFunc") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			if clause, ok := node.(*ast.CaseClause); ok {
				for _, expression := range clause.List {
					labels = append(labels, label(t, expression, filepath.Dir(filepath.Dir(file)))...)
				}
			}
			return true
		})
	}
	slices.Sort(labels)
	labels = slices.DeleteFunc(slices.Compact(labels), func(label string) bool { return label == "metadata.namespace" })
	if len(labels) < 30 {
		t.Fatalf("the API server's code has only the labels %q", labels)
	}
	return labels
}

// label is the label of a case: its text, or a constant of the group's types.
func label(t *testing.T, expression ast.Expr, group string) []string {
	t.Helper()
	switch expression := expression.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(expression.Value); err == nil {
			return []string{text}
		}
	case *ast.SelectorExpr:
		constant := regexp.MustCompile(`\b` + expression.Sel.Name + `\s*=\s*"([^"]+)"`)
		if found := constant.FindStringSubmatch(readText(t, filepath.Join(group, "types.go"))); found != nil {
			return []string{found[1]}
		}
		t.Errorf("%s has no constant %s", group, expression.Sel.Name)
	}
	return nil
}

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestADumpKnowsTheFieldLabelsThatTheServerKnows(t *testing.T) {
	labels := append(fieldLabels(t), "spec.nothing")
	empty, err := dump.Read(t.Context(), []string{"-"}, strings.NewReader(emptyList))
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range fixture.types.Items {
		for _, version := range group.Versions {
			for _, resource := range version.Resources {
				path := "/apis/" + group.Name + "/" + version.Version + "/" + resource.Resource
				if group.Name == "" {
					path = "/api/" + version.Version + "/" + resource.Resource
				}
				kind := schema.GroupVersionKind{Group: group.Name, Version: version.Version, Kind: resource.ResponseKind.Kind}
				argument := resource.Resource + "." + version.Version + "." + group.Name
				var selector []string
				for _, label := range labels {
					known := serverKnows(t, path, label)
					if err := selects(t, empty, kind, label); known != (err == nil) {
						t.Errorf("%s %s: the server knows it: %v, the dump: %v", argument, label, known, err)
					}
					if known {
						selector = append(selector, label+"=x")
					}
				}
				// A user, who asks for them together, is refused none.
				_, stderr := list(t, emptyList, argument, "--field-selector", strings.Join(selector, ","), "--ignore-not-found")
				if stderr != "" || len(selector) == 0 {
					t.Errorf("%s %q: %s", argument, selector, stderr)
				}
			}
		}
	}
}

const emptyList = "{apiVersion: v1, kind: List, items: []}"

// selects says whether a dump knows a field label of a kind: nil, or why it does not.
func selects(t *testing.T, d *dump.Dump, kind schema.GroupVersionKind, label string) error {
	t.Helper()
	target := cache.Target{Kind: kind, FieldSelector: label + "=x"}
	_, err := d.ListerWatcher(target, cache.Metadata, time.Time{}).ListWithContext(t.Context(), metav1.ListOptions{})
	if err != nil && !strings.Contains(err.Error(), "field label not supported") {
		t.Fatalf("%s %s: %v", kind, label, err)
	}
	return err
}

func serverKnows(t *testing.T, path, label string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), requestTimeout)
	defer cancel()
	_, err := fixture.client.RESTClient().Get().AbsPath(path).Param("fieldSelector", label+"=x").Do(ctx).Raw()
	if err != nil && !apierrors.IsBadRequest(err) {
		t.Fatalf("%s: %v", path, err)
	}
	return err == nil
}
