package cmd

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// fullDisk is a file on a disk without room.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAWaitWhoseOutputIsLostIsNoSuccess(t *testing.T) {
	row := &cache.Row{Body: cache.MapBody(map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web"},
	})}
	for _, format := range []string{"", "name", "json", "yaml", "jsonpath={.metadata.name}"} {
		flags := genericclioptions.NewPrintFlags("condition met")
		*flags.OutputFormat = format
		for to, want := range map[io.Writer]error{fullDisk{}: syscall.ENOSPC, &strings.Builder{}: nil} {
			printer, err := (&waitFlags{print: flags}).printer(false)
			if err != nil {
				t.Fatal(err)
			}
			if err := printMet(streamsTo(to), printer, []match.Met{{Row: row, Terms: []string{"create"}}}); !errors.Is(err, want) {
				t.Errorf("-o %q to %T: %v", format, to, err)
			}
		}
	}
}

func streamsTo(out io.Writer) process.Streams {
	return process.Streams{IOStreams: genericiooptions.IOStreams{Out: out, ErrOut: io.Discard}}
}

func TestWaitsWordsAreSafeForATerminal(t *testing.T) {
	evil := "user\u202etxt\x1b[2J\r\U000e0041"
	row := &cache.Row{Body: cache.MapBody(map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web", "annotations": map[string]any{"a": evil}},
	})}
	for _, format := range []string{"json", "yaml", "kyaml", "jsonpath={.metadata.annotations.a}", "go-template={{.metadata.annotations.a}}"} {
		f := &waitFlags{print: genericclioptions.NewPrintFlags("condition met")}
		*f.print.OutputFormat = format
		var out strings.Builder
		f.streams = streamsTo(&out)
		f.streams.OutIsTerminal = true
		printer, err := f.printer(false)
		if err != nil {
			t.Fatal(err)
		}
		met := match.Met{Row: row, Terms: []string{"create"}}
		if err := printMet(f.streams, printer, []match.Met{met, met}); err != nil {
			t.Fatal(err)
		}
		if !display.IsSafe(out.String(), "\n\t") || strings.Count(out.String(), "202e") != 2 {
			t.Errorf("-o %s: %q", format, out.String())
		}
		if strings.HasSuffix(format, "yaml") {
			for _, document := range strings.Split(strings.TrimPrefix(out.String(), "---\n"), "---\n") {
				var object map[string]any
				if err := yaml.Unmarshal([]byte(document), &object); err != nil {
					t.Fatalf("-o %s: %v", format, err)
				}
				got, _, _ := unstructured.NestedString(object, "metadata", "annotations", "a")
				if got != evil {
					t.Errorf("-o %s: decoded as %q", format, got)
				}
			}
		}
	}
}
