package cmd

import (
	"bytes"
	"slices"
	"testing"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

func TestObjectsThatAnExpressionHasNoAnswerForAreToldOnce(t *testing.T) {
	for misses, want := range []string{
		"",
		"Warning: --where has no answer for pod/a: no such key: app\n",
		"Warning: --where had no answer 2 times; the first: pod/a: no such key: app\n",
		"Warning: --where had no answer 3 times; the first: pod/a: no such key: app\n",
	} {
		where, err := match.Compile(match.ObjectOnly, `object.metadata.labels.app == "web"`)
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
			holds, err := where.Eval(t.Context(), row, nil)
			if err != nil || holds != (n == misses) {
				t.Fatalf("%s: %v, %v", row.Name, holds, err)
			}
		}
		var stderr bytes.Buffer
		tellMisses(consoleTo(&stderr), where)
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
		var absent absences
		for _, apps := range test.namespaces {
			absent.read(indexed(t, path, apps...), path)
		}
		if got := absent.notices(); !slices.Equal(got, test.want) {
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
	var absent absences
	absent.read(indexed(t, labels, ""), labels)
	if got := absent.notices(); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}
