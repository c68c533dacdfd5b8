package cmd

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
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
			printer, err := flags.ToPrinter()
			if err != nil {
				t.Fatal(err)
			}
			if err := printMet(to, printer, []*cache.Row{row}, 1); !errors.Is(err, want) {
				t.Errorf("-o %q to %T: %v", format, to, err)
			}
		}
	}
}
