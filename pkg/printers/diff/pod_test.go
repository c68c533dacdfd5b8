package diff_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

// shopPod is a pod as a server would send it: 3 containers, 4 volumes, status.
func shopPod(t testing.TB) map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/pod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return row(t, string(data)).Body.(cache.MapBody)
}

// eachScalar calls visit with each scalar below v, and with what replaces it.
func eachScalar(v any, replace func(any), visit func(scalar any, replace func(any))) {
	switch v := v.(type) {
	case map[string]any:
		for key, content := range v {
			eachScalar(content, func(other any) { v[key] = other }, visit)
		}
	case []any:
		for i, content := range v {
			eachScalar(content, func(other any) { v[i] = other }, visit)
		}
	default:
		visit(v, replace)
	}
}

func TestWhateverChangesInAPodIsTold(t *testing.T) {
	old, now := shopPod(t), shopPod(t)
	visited, noise := 0, 0
	eachScalar(now, nil, func(scalar any, replace func(any)) {
		replace("something else")
		defer replace(scalar)
		visited++
		d, err := diff.Between(body(old), body(now), diff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		// A field that names an item is told as one item gone and one come.
		if len(d.Changes) == 0 {
			noise++
		} else if len(d.Changes) > 2 {
			t.Errorf("%v changed, told: %q", scalar, d.Lines())
		}
		checkPaths(t, old, now, d.Changes)
	})
	// Its resourceVersion and generation.
	if visited < 150 || noise != 2 {
		t.Errorf("%d fields, %d of them noise", visited, noise)
	}
}

func TestARolloutStepReadsAsAPersonWouldTellIt(t *testing.T) {
	old, now := shopPod(t), shopPod(t)
	metadata := now["metadata"].(map[string]any)
	metadata["resourceVersion"], metadata["generation"] = "184470", int64(2)
	container := now["spec"].(map[string]any)["containers"].([]any)[1].(map[string]any)
	container["image"] = strings.Replace(container["image"].(string), "sha256:6d", "sha256:7e", 1)
	status := now["status"].(map[string]any)
	status["conditions"].([]any)[2] = map[string]any{"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": "2026-01-12T08:15:20Z"}
	proxy := status["containerStatuses"].([]any)[1].(map[string]any)
	proxy["ready"], proxy["restartCount"] = false, int64(3)
	proxy["state"] = map[string]any{"waiting": map[string]any{"reason": "CrashLoopBackOff"}}
	d, err := diff.Between(body(old), body(now), diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"spec.containers[proxy].image: …sh/proxy@sha256:6d1f3b8a1c7be5c1d6… → …sh/proxy@sha256:7e1f3b8a1c7be5c1d6…",
		"status.conditions[Ready].reason: <none> → ContainersNotReady",
		"status.conditions[Ready].status: True → False",
		"status.containerStatuses[proxy].ready: true → false",
		"status.containerStatuses[proxy].restartCount: 2 → 3",
		`status.containerStatuses[proxy].state.running.startedAt: 2026-01-12T08:15:08Z → <none>`,
		"status.containerStatuses[proxy].state.waiting.reason: <none> → CrashLoopBackOff",
	}
	if difference := cmp.Diff(want, d.Lines()); difference != "" {
		t.Errorf("-want +got:\n%s", difference)
	}
}

func BenchmarkAPodThatBecameReady(b *testing.B) {
	old := shopPod(b)
	now := runtime.DeepCopyJSON(old)
	now["metadata"].(map[string]any)["resourceVersion"] = "184470"
	now["status"].(map[string]any)["conditions"].([]any)[2].(map[string]any)["status"] = "False"
	before, after := body(old), body(now)
	// The first call reads the schema.
	if _, err := diff.Between(before, after, diff.Options{}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		d, err := diff.Between(before, after, diff.Options{})
		if err != nil || len(d.Changes) != 1 {
			b.Fatalf("got %+v, %v", d, err)
		}
	}
}
