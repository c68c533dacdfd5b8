package printers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

func TestYAMLOfControlCharactersReadsBackAsItWas(t *testing.T) {
	value := "del\x7f nel\u0085 c1\u009b\u0080 last\u009f non\ufffe\uffff bom\ufeff ls\u2028 esc\x1b nul\x00 cr\r tab\t é"
	typ := shop().typed("nodes")
	typ.objects[0].body["spec"] = map[string]any{"value": value, value: "key"}
	group := []Group{{Target: typ.target(""), Rows: typ.rows()[:1]}}
	for _, format := range []string{"yaml", "kyaml"} {
		for _, single := range []bool{true, false} {
			out, _ := list(t, ListOptions{SingleItem: single}, group, "-o", format)
			var got any
			if err := yaml.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("-o %s: %v\n%s", format, err, out)
			}
			object := got.(map[string]any)
			if !single {
				object = object["items"].([]any)[0].(map[string]any)
			}
			if diff := cmp.Diff(any(map[string]any{"value": value, value: "key"}), object["spec"]); diff != "" {
				t.Errorf("-o %s, single %t (-stored +printed):\n%s\n%s", format, single, diff, out)
			}
		}
	}
}

// kubernetes/client-go#1328
func TestObjectsAlwaysHaveKindAndAPIVersion(t *testing.T) {
	cluster := shop()
	for _, object := range cluster.typed("deployments").objects {
		delete(object.body, "kind")
		delete(object.body, "apiVersion")
	}
	want, _ := list(t, everywhere(), allOf(shop(), "deployments"), "-o", "json")
	got, _ := list(t, everywhere(), allOf(cluster, "deployments"), "-o", "json")
	same(t, want, got)
}

func TestPrintingChangesNothingInTheCache(t *testing.T) {
	cluster := shop()
	groups := allOf(cluster, "pods", "nodes", "gadgets", "deployments")
	for _, group := range groups {
		for _, row := range group.Rows {
			// Room to append is what an append could write into.
			row.Cells = append(make([]any, 0, 20), row.Cells...)
		}
	}
	before := dump(t, groups)
	for _, flags := range append(every(), []string{"-o", "jsonl"}) {
		for _, terminal := range []bool{true, false} {
			list(t, ListOptions{Scope: Scope{AllNamespaces: true}, Terminal: terminal}, groups, flags...)
		}
	}
	same(t, before, dump(t, groups))
}

// dump shows all that rows hold, the unused room of their cells included.
func dump(t *testing.T, groups []Group) string {
	t.Helper()
	var text strings.Builder
	for _, group := range groups {
		for _, row := range group.Rows {
			body, err := json.MarshalIndent(row.Body, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "%q %v %v\n%s\n", row.Cells[:cap(row.Cells)], row.Columns, row.ObjectMeta, body)
		}
	}
	return text.String()
}

// A server that sends more cells than columns has its next cell printed under
// the first column that kubectl adds, as for IPAddresses in Kubernetes 1.37.
func TestARowWithTooFewCellsOrTooManyIsPrintedAsKubectlDoes(t *testing.T) {
	group := allOf(shop(), "deployments")[0]
	group.Rows[0].Cells = nil
	group.Rows[1].Cells = append(group.Rows[1].Cells, "too", "many")
	out, _ := list(t, everywhere(), []Group{group}, "--show-kind", "-L", "app")
	same(t, `NAMESPACE   NAME                  READY   UP-TO-DATE   AGE   APP
prod        deployment.apps/                                 
test        deployment.apps/web   1/1                  5y    too
`, out)
}

// brokenBody is an object that cannot be decoded.
type brokenBody struct{}

var errGarbled = errors.New("garbled")

func (brokenBody) Unstructured() (*unstructured.Unstructured, error) { return nil, errGarbled }

func TestAnObjectThatCannotBeReadIsNamed(t *testing.T) {
	groups := allOf(shop(), "pods")
	groups[0].Rows[1].Body = brokenBody{}
	for _, format := range []string{"json", "yaml", "kyaml", "jsonl", "custom-columns=A:.spec", "jsonpath={.items}", "go-template={{.}}"} {
		err := mustParse(t, "-o", format).PrintList(genericiooptions.NewTestIOStreamsDiscard(), groups, everywhere())
		if !errors.Is(err, errGarbled) || err.Error() != `Pod "web-2-with-a-long-name" in namespace "prod": garbled` {
			t.Errorf("-o %s: got %v", format, err)
		}
	}
}

// countingBody counts how often it is decoded.
type countingBody struct {
	cache.MapBody
	decoded *int
}

func (b countingBody) Unstructured() (*unstructured.Unstructured, error) {
	*b.decoded++
	return b.MapBody.Unstructured()
}

// brokenPipe takes some bytes and then fails for ever.
type brokenPipe struct{ left int }

func (p *brokenPipe) Write(data []byte) (int, error) {
	if len(data) > p.left {
		n := p.left
		p.left = 0
		return n, syscall.EPIPE
	}
	p.left -= len(data)
	return len(data), nil
}

// helm/helm-classic#387
func TestABrokenPipeIsReturnedAsItIsAndAtOnce(t *testing.T) {
	const objects = 3000
	many, few := allOf(crowd(objects), "pods"), allOf(crowd(200), "pods")
	decoded := 0
	for _, row := range slices.Concat(many[0].Rows, few[0].Rows) {
		row.Body = countingBody{MapBody: row.Body.(cache.MapBody), decoded: &decoded}
	}
	formats := []string{"", "wide", "name", "json", "yaml", "jsonl", "custom-columns=A:.metadata"}
	whole := []string{"jsonpath={.items}", "go-template={{range .items}}{{.}}{{end}}", "kyaml"}
	for i, format := range append(formats, whole...) {
		for _, terminal := range []bool{false, true} {
			groups := many
			if i >= len(formats) {
				groups = few // are held in memory by kubectl's printers
			}
			decoded = 0
			streams := genericiooptions.IOStreams{Out: &brokenPipe{left: 1000}, ErrOut: io.Discard}
			err := mustParse(t, "-o", format).PrintList(streams, groups, ListOptions{Scope: Scope{AllNamespaces: true}, Terminal: terminal})
			if err != syscall.EPIPE {
				t.Errorf("-o %s: got %v, want EPIPE itself", format, err)
			}
			if i < len(formats) && decoded > objects/2 {
				t.Errorf("-o %s: %d of %d objects decoded for a reader that had gone", format, decoded, objects)
			}
		}
	}
}

// kubernetes/kubernetes#101695
func TestATerminalGetsNoControlCharacterInAnyFormat(t *testing.T) {
	evil := "\x1b]0;title\x07 \x1b[2J \r hidden \x7f \u009b31m \u0085 \x00 \v \f \b \u202etxt\u2066 ad\u200bmin \ufeff\u2028 \U000e0041 a\ufe0f"
	cluster := shop()
	typ := cluster.typed("deployments")
	columns := append(cache.Columns{}, *typ.columns...)
	columns[1].Name = "Evil" + evil
	typ.columns = &columns
	for _, object := range typ.objects {
		object.metadata()["annotations"] = map[string]any{"evil" + evil: evil}
		object.metadata()["labels"] = map[string]any{"app": evil}
		object.cells[1] = evil
	}
	formats := []string{"", "wide", "name", "json", "yaml", "kyaml", "jsonl", "custom-columns=A:.metadata.annotations", "jsonpath={.items}",
		"go-template={{range .items}}{{range $k, $v := .metadata.annotations}}{{$k}}{{$v}}{{end}}{{end}}", "jsonpath-as-json={.items}"}
	for _, format := range formats {
		flags := []string{"-o", format}
		if format == "" {
			flags = append(flags, "--show-labels", "-L", "app")
		}
		out, _ := list(t, ListOptions{Scope: Scope{AllNamespaces: true}, Terminal: true}, allOf(cluster, "deployments"), flags...)
		if !display.IsSafe(out, "\n\t") {
			t.Errorf("-o %s: not safe: %q", format, out)
		}
		if format == "json" && !json.Valid([]byte(out)) {
			t.Errorf("escaped JSON is not JSON any more:\n%s", out)
		}
	}
}

func TestColumnsStayAlignedOnATerminal(t *testing.T) {
	cluster := shop()
	cluster.typed("nodes").objects[0].cells[1] = "a\tb\x07c\u009b"
	out, _ := list(t, ListOptions{Terminal: true}, allOf(cluster, "nodes"))
	same(t, `NAME     STATUS              AGE
node-1   a\tb\u0007c\u009b   5y
node-2   NotReady            5y
`, out)
}

func TestATemplateThatTheEngineChokesOnIsAnErrorAndNoTrace(t *testing.T) {
	flags := mustParse(t, "-o", "jsonpath={range .items[*].spec.none[*]}{[0]}{end}")
	err := flags.PrintList(genericiooptions.NewTestIOStreamsDiscard(), allOf(shop(), "pods"), everywhere())
	if err == nil || !strings.HasPrefix(err.Error(), "reflect: ") {
		t.Errorf("got %v", err)
	}
}
