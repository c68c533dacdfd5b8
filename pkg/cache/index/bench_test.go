package index

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The cost of an answer must not follow the objects that are none: compare the
// sizes, for the same ten matches.
func BenchmarkSelect(b *testing.B) {
	for _, by := range []string{"node=wanted", "namespace=shop node=wanted", "namespace=shop phase=Running node=wanted image!=x"} {
		for _, objects := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("by=%s/objects=%d", strings.ReplaceAll(by, " ", ","), objects), func(b *testing.B) {
				bound := mustBind(b, podTarget(), strings.Fields(by)...)
				indexer := indexerOf(b, bound.Indexers())
				for i := range objects {
					node := fmt.Sprint("n", i%500)
					if i < 10 {
						node = "wanted"
					}
					if err := indexer.Add(pod(fmt.Sprint("p", i), node, "Running", "nginx")); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					if rows := bound.Select(indexer); len(rows) != 10 {
						b.Fatalf("%d rows", len(rows))
					}
				}
			})
		}
	}
}

// What one pod costs when it enters the cache.
func BenchmarkIndexFunc(b *testing.B) {
	row := rowOf(b, embed("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n", "spec"))
	for _, name := range []string{"name", "node", "image", "secret", ".spec.nodeName", ".metadata.labels.app", `.status.conditions[?(@.type=="Ready")].status`} {
		b.Run(name, func(b *testing.B) {
			d := mustLookup(b, podTarget(), name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Func(row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkBind(b *testing.B) {
	r := mustRegistry(b)
	for b.Loop() {
		q, err := ParseQuery([]string{"node=n1", "phase!=Running"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := q.Bind(r, podTarget()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIndexFuncOfAStruct(b *testing.B) {
	maps := rowOf(b, embed("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n", "spec"))
	object := reflect.New(servedKinds()[podTarget().Kind]).Interface().(runtime.Object)
	content, err := maps.Unstructured()
	if err != nil {
		b.Fatal(err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, object); err != nil {
		b.Fatal(err)
	}
	row := &cache.Row{TypeMeta: maps.TypeMeta, ObjectMeta: maps.ObjectMeta, Body: structBody{object}}
	for _, name := range []string{"node", "image", "secret", ".spec.nodeName"} {
		b.Run(name, func(b *testing.B) {
			d := mustLookup(b, podTarget(), name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Func(row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The counts of an Indexer in which nothing happens, and of one that is written
// between any two of its sets.
func BenchmarkCounts(b *testing.B) {
	for _, objects := range []int{20_000, 100_000} {
		d := mustLookup(b, podTarget(), "node")
		indexer := indexerOf(b, Indexers(d))
		for n := range objects {
			if err := indexer.Add(pod(fmt.Sprint("p", n), fmt.Sprint("n", n%200), "Running")); err != nil {
				b.Fatal(err)
			}
		}
		same := pod("p0", "n0", "Running")
		written := betweenSets{indexer, func() { _ = indexer.Update(same) }}
		for name, indexer := range map[string]toolscache.Indexer{"quiet": indexer, "written": written} {
			b.Run(fmt.Sprintf("objects=%d/%s", objects, name), func(b *testing.B) {
				for b.Loop() {
					if counts := Counts(indexer, d); len(counts) != 200 {
						b.Fatal(len(counts))
					}
				}
			})
		}
	}
}
