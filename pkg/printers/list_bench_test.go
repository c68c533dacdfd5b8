package printers

import (
	"encoding/json"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// BenchmarkItem lays out one pod of a List: from JSON that is at hand, and from
// nested maps.
func BenchmarkItem(b *testing.B) {
	object := pod("prod", "web-1", "Running", "node-1", 0).body
	delete(object["spec"].(map[string]any), "weight") // a pod has no fractions
	text, err := json.Marshal(object)
	if err != nil {
		b.Fatal(err)
	}
	var items yamlItems
	for name, row := range map[string]*cache.Row{
		"at-hand":   {Body: textBody(text)},
		"from-maps": {Body: cache.MapBody(object)},
	} {
		for layout, item := range map[string]func(*cache.Row) error{
			"json": func(row *cache.Row) error {
				_, err := appendJSON(nil, row, asItem, false)
				return err
			},
			"yaml": func(row *cache.Row) error {
				object, err := printable(row, true)
				if err == nil {
					_, err = items.item(object, false)
				}
				return err
			},
		} {
			b.Run(layout+"-"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := item(row); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
