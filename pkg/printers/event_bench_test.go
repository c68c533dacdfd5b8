package printers

import (
	"fmt"
	"io"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// BenchmarkInitialObjects prints what a stream begins with: each operation is
// one object, in batches as large as a stream's.
func BenchmarkInitialObjects(b *testing.B) {
	const batch = 500
	pods := crowd(batch).typed("pods")
	var events []cache.Event
	for i := range pods.objects {
		added := event(cache.Added, pods, i)
		added.Initial = true
		fatten(pods.objects[i])
		events = append(events, added)
	}
	for _, format := range []string{"", "name", "json", "yaml", "jsonpath={.type} {.object.metadata.name}"} {
		b.Run(fmt.Sprintf("-o=%.8s", format), func(b *testing.B) {
			flags, err := parsed("-o", format)
			if err != nil {
				b.Fatal(err)
			}
			printer, err := flags.NewEventPrinter(io.Discard, EventOptions{Now: now})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for left := b.N; left > 0; left -= batch {
				if err := printer.Print(events[:min(left, batch)]...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fatten gives a pod the size that pods have: some 5 KB of JSON.
func fatten(pod testObject) {
	var env, conditions []any
	for i := range 40 {
		env = append(env, map[string]any{"name": fmt.Sprintf("VARIABLE_%d", i), "value": "a value of some length"})
		conditions = append(conditions, map[string]any{"type": fmt.Sprintf("Type%d", i), "status": "True", "observedGeneration": int64(i)})
	}
	container := pod.body["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
	container["env"] = env
	pod.body["status"].(map[string]any)["conditions"] = conditions
}
