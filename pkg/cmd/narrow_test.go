package cmd

import (
	"bytes"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
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
