package printers

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// cellColumns are those of the fixtures below.
func cellColumns() *cache.Columns {
	return &cache.Columns{
		{Name: "Name", Type: "string", Format: "name"}, {Name: "Ready", Type: "string"},
		{Name: "Restarts", Type: "integer"}, {Name: "Age", Type: "string"}, {Name: "Node", Type: "string", Priority: 1},
	}
}

func cellRow(columns *cache.Columns, name string, created time.Time, cells ...any) *cache.Row {
	row := &cache.Row{Columns: columns, Cells: cells}
	row.APIVersion, row.Kind = "v1", "Pod"
	row.Name, row.Namespace = name, "shop"
	row.Labels = map[string]string{"app": "web", "example.com/tier": "front"}
	row.CreationTimestamp = metav1.NewTime(created)
	return row
}

// listed are the cells of a table as PrintList lays it out: columns are three spaces
// apart.
func listed(t *testing.T, f *Flags, groups []Group, scope Scope) (lines [][]string) {
	t.Helper()
	var out bytes.Buffer
	if err := f.PrintList(genericiooptions.IOStreams{Out: &out, ErrOut: &out}, groups, ListOptions{Scope: scope, Terminal: true}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		var cells []string
		for cell := range strings.SplitSeq(strings.TrimRight(line, "\n"), "   ") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, cell)
			}
		}
		if len(cells) > 0 {
			lines = append(lines, cells)
		}
	}
	return lines
}

func TestCellsAreThoseThatListPrints(t *testing.T) {
	now := time.Now()
	columns := cellColumns()
	pods := cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespaced: true}
	apps := cache.Target{Resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, Kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, Namespaced: true}
	created := now.Add(-90 * time.Minute)
	rows := []*cache.Row{
		cellRow(columns, "web-1", created, "web-1", "1/1", int64(3), "90m", "node-1"),
		cellRow(columns, "web-2", created, "web-2", "two\nlines", int64(0), "90m", "node\x1b[31m"),
	}
	deployment := cellRow(columns, "web", created, "web", "1/1", int64(1), "90m", "node-2")
	deployment.APIVersion, deployment.Kind = "apps/v1", "Deployment"
	bare := cellRow(nil, "bare", created)
	for name, test := range map[string]struct {
		args   string
		scope  Scope
		groups []Group
	}{
		"plain":         {"", Scope{}, []Group{{pods, rows}}},
		"wide":          {"-o wide", Scope{}, []Group{{pods, rows}}},
		"namespaces":    {"", Scope{AllNamespaces: true}, []Group{{pods, rows}}},
		"labels":        {"-L none,app,example.com/tier", Scope{}, []Group{{pods, rows}}},
		"all labels":    {"--show-labels -o wide", Scope{Namespaces: []string{"shop", "b"}}, []Group{{pods, rows}}},
		"kind":          {"--show-kind", Scope{}, []Group{{pods, rows}}},
		"no columns":    {"-L app", Scope{AllNamespaces: true}, []Group{{pods, []*cache.Row{bare}}}},
		"several types": {"", Scope{AllNamespaces: true}, []Group{{pods, rows}, {apps, []*cache.Row{deployment}}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFlags()
			cmd := &cobra.Command{}
			f.AddFlags(cmd)
			if err := cmd.ParseFlags(strings.Fields(test.args)); err != nil {
				t.Fatal(err)
			}
			var targets []cache.Target
			for _, group := range test.groups {
				targets = append(targets, group.Target)
			}
			cells := f.Cells(test.scope, targets)
			var got [][]string
			for _, group := range test.groups {
				var names []string
				for _, column := range cells.Columns(group.Target, group.Rows[0]) {
					names = append(names, column.Name)
				}
				got = append(got, names)
				for _, row := range group.Rows {
					filled := slices.DeleteFunc(cells.Of(group.Target, row, now), func(cell string) bool { return cell == "" })
					got = append(got, filled)
				}
			}
			if want := listed(t, f, test.groups, test.scope); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("got %q\nwant %q", got, want)
			}
		})
	}
}

func TestCellsAgeByTheClock(t *testing.T) {
	now := time.Now()
	pods := cache.Target{Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}}
	row := cellRow(cellColumns(), "web", now.Add(-time.Minute), "web", "1/1", int64(0), "1s", "node-1")
	cells := NewFlags().Cells(Scope{}, nil)
	for after, want := range map[time.Duration]string{0: "60s", time.Hour: "61m"} {
		if got := cells.Of(pods, row, now.Add(after))[3]; got != want {
			t.Errorf("after %v the age is %s, want %s", after, got, want)
		}
	}
	older := *row
	older.CreationTimestamp = metav1.NewTime(now.Add(-time.Hour))
	older.Cells = []any{"web", "1/1", int64(0), "1h", "node-1"}
	if cells.LooksChanged(pods, &older, row) {
		t.Error("an age is taken for a change")
	}
	older.Cells = []any{"web", "0/1", int64(0), "1h", "node-1"}
	if !cells.LooksChanged(pods, &older, row) {
		t.Error("another cell is taken for none")
	}
}
