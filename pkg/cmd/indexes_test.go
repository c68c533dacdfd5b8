package cmd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

var someDocs = []indexDoc{
	{Resource: "pods", Name: "node", Reads: ".spec.nodeName", Example: "--by node=node-1"},
	{Resource: "widgets.example.com", Name: "colour", Reads: ".spec.colour, as <it> is", Example: "--by colour=VALUE"},
}

func TestIndexesArePrintedForPeopleAndPrograms(t *testing.T) {
	for format, want := range map[string]string{
		"": "RESOURCE              NAME     READS                      EXAMPLE\n" +
			"pods                  node     .spec.nodeName             --by node=node-1\n" +
			"widgets.example.com   colour   .spec.colour, as <it> is   --by colour=VALUE\n",
		"name": "node\ncolour\n",
		"yaml": "- example: --by node=node-1\n  name: node\n  reads: .spec.nodeName\n  resource: pods\n" +
			"- example: --by colour=VALUE\n  name: colour\n  reads: .spec.colour, as <it> is\n  resource: widgets.example.com\n",
	} {
		var out bytes.Buffer
		if err := (&indexesOptions{output: format}).print(&out, someDocs); err != nil || out.String() != want {
			t.Errorf("-o %q: %v, got\n%swant\n%s", format, err, out.String(), want)
		}
	}
	var out bytes.Buffer
	if err := (&indexesOptions{output: "", noHeaders: true}).print(&out, someDocs); err != nil || strings.Contains(out.String(), "RESOURCE") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("--no-headers: %v, got\n%s", err, out.String())
	}
	out.Reset()
	if err := (&indexesOptions{output: "json"}).print(&out, someDocs[:1]); err != nil || !strings.Contains(out.String(), `"reads": ".spec.nodeName"`) {
		t.Errorf("-o json: %v, got\n%s", err, out.String())
	}
	out.Reset()
	if err := (&indexesOptions{output: "json"}).print(&out, []indexDoc{}); err != nil || out.String() != "[]\n" {
		t.Errorf("no index as JSON: %v, got %q", err, out.String())
	}
}

func TestAFailingWriterIsReportedByEveryFormatOfIndexes(t *testing.T) {
	for _, format := range []string{"", "name", "json", "yaml"} {
		if err := (&indexesOptions{output: format}).print(failing{}, someDocs); !errors.Is(err, errFailing) {
			t.Errorf("-o %q: got %v", format, err)
		}
	}
	if err := (&indexesOptions{streams: process.Streams{OutIsTerminal: true}}).print(failing{}, someDocs); !errors.Is(err, errFailing) {
		t.Errorf("on a terminal: got %v", err)
	}
}

func TestAnUnknownFormatOfIndexesIsRefused(t *testing.T) {
	_, stderr, code := invoke(t, "kubectl-informer", "indexes", "pods", "-o", "wide")
	if want := "error: --output must be one of json, yaml, name, not \"wide\"\n"; code != 1 || stderr != want {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

var errFailing = errors.New("the disk is full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFailing }

// indexes pods deployments looks like two types, and names an object of the first.
func TestASecondTypeIsTakenForAName(t *testing.T) {
	_, stderr, code := invoke(t, "kubectl-informer", "indexes", "pods", "deployments")
	if want := "error: indexes takes no names; several types are joined by commas: pods,deployments\n"; code != 1 || stderr != want {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestIndexesFitIn80ColumnsOfATerminal(t *testing.T) {
	const types = "pods,nodes,cronjobs,secrets,persistentvolumeclaims,validatingadmissionpolicybindings"
	path := filepath.Join(t.TempDir(), "pods.yaml")
	if err := os.WriteFile(path, []byte(savedPods), 0o600); err != nil {
		t.Fatal(err)
	}
	var terminal, errOut bytes.Buffer
	code := Main(t.Context(), []string{"kubectl-informer", "indexes", types, "--from", path}, process.Streams{
		IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &terminal, ErrOut: &errOut}, OutIsTerminal: true,
	})
	if code != 0 || errOut.Len() > 0 {
		t.Fatalf("code %d, stderr %q", code, &errOut)
	}
	for line := range strings.Lines(terminal.String()) {
		if columns := len([]rune(strings.TrimSuffix(line, "\n"))); columns > 80 {
			t.Errorf("%d columns: %q", columns, line)
		}
	}
	// It has all that the table has.
	names, _, _ := invoke(t, "kubectl-informer", "indexes", types, "--from", path, "-o", "name")
	if examples, want := strings.Count(terminal.String(), " --by "), strings.Count(names, "\n"); examples != want {
		t.Errorf("%d examples, want %d", examples, want)
	}
	if first := "pods\n  annotation       .metadata.annotations, as KEY=VALUE and as KEY\n                   --by annotation=team\n"; !strings.HasPrefix(terminal.String(), first) ||
		!strings.Contains(terminal.String(), "\n\nvalidatingadmissionpolicybindings.admissionregistration.k8s.io\n") {
		t.Errorf("got\n%s", &terminal)
	}
}
