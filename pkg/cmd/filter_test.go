package cmd

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

func TestObjectsThatAnExpressionHasNoAnswerForAreToldOnce(t *testing.T) {
	for misses, want := range []string{
		"",
		"Warning: --where has no answer for pod/a: no such key: app\n",
		"Warning: --where had no answer 2 times; the first: pod/a: no such key: app\n",
		"Warning: --where had no answer 3 times; the first: pod/a: no such key: app\n",
	} {
		where, err := match.DefaultCostLimit.Compile(match.ObjectOnly, `object.metadata.labels.app == "web"`)
		if err != nil {
			t.Fatal(err)
		}
		for n := range misses + 1 {
			row := &cache.Row{}
			row.APIVersion, row.Kind, row.Name = "v1", "Pod", string(rune('a'+n))
			row.Labels = map[string]string{"tier": "front"}
			if n == misses {
				row.Labels["app"] = "web"
			}
			holds, _, err := where.Eval(t.Context(), time.Now(), row, nil)
			if err != nil || holds != (n == misses) {
				t.Fatalf("%s: %v, %v", row.Name, holds, err)
			}
		}
		var stderr bytes.Buffer
		question.WarnMisses(consoleTo(&stderr), where)
		if stderr.String() != want {
			t.Errorf("%d misses: got %q, want %q", misses, stderr.String(), want)
		}
	}
}

// indexed is an Indexer with rows of these labels "app"; an empty one has no label.
func indexed(t *testing.T, definition index.Definition, apps ...string) toolscache.Indexer {
	t.Helper()
	indexer := toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, index.Indexers(definition))
	for _, app := range apps {
		row := &cache.Row{}
		row.Name = "of-" + app
		if app != "" {
			row.Labels = map[string]string{"app": app}
		}
		if err := indexer.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	return indexer
}

func TestAPathThatOneNamespaceLacksIsCalledAbsent(t *testing.T) {
	registry, err := index.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	path, err := registry.Lookup(somePods, "metadata.labels.app")
	if err != nil {
		t.Fatal(err)
	}
	notice := []string{`no object has a value at .metadata.labels.app; write a dot within a key as \. and the elements of a list as [*]`}
	for name, test := range map[string]struct {
		namespaces [][]string
		want       []string
	}{
		"nothing was read":                        {nil, nil},
		"no object at all":                        {[][]string{{}, {}}, nil},
		"every object has it":                     {[][]string{{"web"}, {"db"}}, nil},
		"one has it":                              {[][]string{{"", "web"}}, nil},
		"the objects of one namespace have it":    {[][]string{{""}, {"db"}}, nil},
		"those of the other":                      {[][]string{{"db"}, {""}}, nil},
		"none has it":                             {[][]string{{""}}, notice},
		"none in either, which is said once":      {[][]string{{""}, {""}}, notice},
		"none in one, and no object in the other": {[][]string{{""}, {}}, notice},
	} {
		var absent question.Absences
		for _, apps := range test.namespaces {
			absent.Read(indexed(t, path, apps...), path)
		}
		if got := absent.Notices(); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestABuiltInIndexIsNeverCalledAbsent(t *testing.T) {
	registry, err := index.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := registry.Lookup(somePods, "label")
	if err != nil {
		t.Fatal(err)
	}
	var absent question.Absences
	absent.Read(indexed(t, labels, ""), labels)
	if got := absent.Notices(); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// dearExpression costs more than the limit, for every object.
const dearExpression = `lists.range(20000000).size()>0`

const dearWords = `--where costs more than 10000000 for pod/web-1 in namespace "batch", so whether it holds is not known`

func TestAListEndsWhereAnExpressionCostsTooMuch(t *testing.T) {
	files := map[string]string{"saved.yaml": savedCluster}
	out, stderr, code := askDump(t, files, "", "list pods --from saved.yaml -o name --where "+dearExpression)
	if code != 1 || out != "" || !strings.HasPrefix(stderr, "error: "+dearWords) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("got %d, %q, %q", code, out, stderr)
	}
	cheap := `lists.range(100).all(x,x>=0)`
	for limit, want := range map[string]int{"10": 1, "100000": 0, "0": 0} {
		if out, stderr, code := askDump(t, files, "", "list pods --from saved.yaml -o name --cel-cost-limit "+limit+" --where "+cheap); code != want || (out == "") != (want == 1) {
			t.Errorf("--cel-cost-limit %s: got %d, %q, %q", limit, code, out, stderr)
		}
	}
}

func TestALineThatCostsTooMuchIsAStatusAndTheNextIsAnswered(t *testing.T) {
	lines := "-o name --where '" + dearExpression + "'\n-o name --by name=db-0 --where 'lists.range(99).all(x, x >= 0)'\n" +
		"-o name --by name=db-0 --cel-cost-limit 10 --where 'lists.range(99).all(x, x >= 0)'\n"
	out, stderr, code := askDump(t, map[string]string{"saved.yaml": savedCluster}, lines, "query pods --from saved.yaml")
	answers := strings.Split(out, "---\n")
	if code != 0 || len(answers) != 4 || answers[1] != "pod/db-0\n" {
		t.Fatalf("got %d, %q, %q", code, out, stderr)
	}
	for n, limit := range map[int]string{0: "10000000", 2: "10"} {
		if !strings.Contains(answers[n], `"kind":"Status"`) || !strings.Contains(answers[n], "--where costs more than "+limit+" for pod/") {
			t.Errorf("answer %d: %s", n, answers[n])
		}
	}
}

// streamed is what a stream and a wait read: two objects, of which the expression
// is dear for both.
func streamed(t *testing.T, texts ...string) (*question.Question, *informer.Queue) {
	t.Helper()
	where, err := match.DefaultCostLimit.Compile(match.ObjectAndOld, texts...)
	if err != nil {
		t.Fatal(err)
	}
	target := cache.Target{}
	q := withDependencies(&question.Question{ResourceOptions: &question.ResourceOptions{Connection: &question.Connection{}, Where: where}, Subjects: []question.Subject{{Target: target, By: &index.Bound{}}}})
	queue := informer.NewQueue(10)
	for _, name := range []string{"a", "b"} {
		row := &cache.Row{Body: cache.MapBody(map[string]any{})}
		row.APIVersion, row.Kind, row.Name = "v1", "Pod", name
		queue.Push(cache.Event{Type: cache.Added, Target: target, Row: row, Initial: true})
	}
	queue.Close()
	return q, queue
}

func TestAStreamReportsOnceWhatAnExpressionCostsTooMuchForAndGoesOn(t *testing.T) {
	for name, expression := range map[string]string{
		"of an object": dearExpression,
		"of a change":  `oldObject == null && ` + dearExpression,
	} {
		t.Run(name, func(t *testing.T) {
			q, queue := streamed(t, expression)
			var stderr strings.Builder
			streams := process.Streams{IOStreams: genericiooptions.IOStreams{ErrOut: &stderr}}.Owned()
			o := &tailOptions{print: printers.NewFlags(), streams: streams}
			s := &stream{tailOptions: o, question: q, queue: queue, costs: &question.CostReport{Console: streams.Console}}
			told := 0
			emit := func(events []printers.PreparedEvent) error { told += len(events); return nil }
			if err := s.run(t.Context(), emit); err != nil || told > 0 {
				t.Errorf("got %v, %d events", err, told)
			}
			if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "error: --where costs more than 10000000 for pod/a, so") {
				t.Errorf("got %q", got)
			}
			if err := s.costs.Err(); err == nil || !strings.Contains(stderr.String(), "Warning: --where cost too much 2 times") {
				t.Errorf("at the end: got %v, %q", err, stderr.String())
			}
		})
	}
}

func TestAWaitEndsWhereAnExpressionCostsTooMuch(t *testing.T) {
	q, queue := streamed(t, dearExpression)
	condition, err := match.DefaultCostLimit.ParseFor([]string{"create"}, false)
	if err != nil {
		t.Fatal(err)
	}
	w := &waiting{question: q, queue: queue, connections: question.NewConnections(nil, false, nil), tally: match.NewTally(condition, match.None(), nil, time.Now)}
	if err := w.until(t.Context()); !errors.As(err, new(*match.CostError)) {
		t.Errorf("got %v", err)
	}
}
