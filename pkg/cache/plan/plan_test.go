package plan_test

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
)

var pods = cache.Target{
	Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Kind:     schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespaced: true,
}

// indexOf is an index that pods have.
func indexOf(t *testing.T, name string) index.Definition {
	t.Helper()
	registry, err := index.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	definition, err := registry.Lookup(pods, name)
	if err != nil {
		t.Fatal(err)
	}
	return definition
}

func TestTheLeastFormThatServesEveryReader(t *testing.T) {
	byNode := []index.Definition{indexOf(t, "node")}
	for name, test := range map[string]struct {
		needs         []plan.Need
		fetched, kept cache.Representation
	}{
		"names need metadata": {[]plan.Need{{Reader: "-o name"}}, cache.Metadata, cache.Metadata},
		"a table needs cells": {[]plan.Need{{Reader: "table", Form: cache.Cells}}, cache.Cells, cache.Cells},
		"a table by node needs whole objects for a moment": {
			[]plan.Need{{Reader: "table", Form: cache.Cells}, {Reader: "--by node", Indexes: byNode}},
			cache.Cells | cache.Whole, cache.Cells,
		},
		"json by node keeps them": {
			[]plan.Need{{Reader: "-o json", Form: cache.Whole}, {Reader: "--by node", Indexes: byNode}},
			cache.Whole, cache.Whole,
		},
		"json by label needs whole objects": {
			[]plan.Need{{Reader: "-o json", Form: cache.Whole}, {Reader: "--by label", Indexes: []index.Definition{indexOf(t, "label")}}},
			cache.Whole, cache.Whole,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan.For(pods, false, test.needs...)
			if p.Form != test.fetched || p.Kept != test.kept {
				t.Errorf("fetched as %s, kept as %s; want %s and %s", p.Form, p.Kept, test.fetched, test.kept)
			}
			last := p.Reasons[len(p.Reasons)-1]
			if says := strings.Contains(last, "kept as"); says != (test.fetched != test.kept) {
				t.Errorf("the last reason is %q", last)
			}
		})
	}
}

func TestIndexersOfEveryReaderAreKept(t *testing.T) {
	p := plan.For(pods, true,
		plan.Need{Indexes: []index.Definition{indexOf(t, "node")}},
		plan.Need{Indexes: []index.Definition{indexOf(t, "owner")}})
	if len(p.Indexers) != 2 || p.Indexers["node"] == nil || p.Indexers["owner"] == nil {
		t.Errorf("got %v", p.Indexers)
	}
}

// podOn is a whole pod on a node, in the way a server sends it.
func podOn(node string) *cache.Row {
	row := &cache.Row{Body: cache.MapBody{"spec": map[string]any{"nodeName": node}}}
	row.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	return row
}

func TestAnIndexIsComputedBeforeWhatItReadsIsDropped(t *testing.T) {
	byNode := plan.Need{Reader: "--by node", Indexes: []index.Definition{indexOf(t, "node")}}
	columns := &cache.Columns{}
	for name, test := range map[string]struct {
		form          cache.Representation
		columns       *cache.Columns
		body, managed bool
	}{
		"names":                         {form: cache.Metadata},
		"names, with managedFields":     {form: cache.ManagedFields, managed: true},
		"a table":                       {form: cache.Cells, columns: columns},
		"a table that cannot be had":    {form: cache.Cells, body: true, managed: true},
		"json":                          {form: cache.Whole, body: true, managed: true},
		"json in a table that is there": {form: cache.Whole | cache.Cells, columns: columns, body: true, managed: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan.For(pods, false, plan.Need{Form: test.form}, byNode)
			row := podOn("node-1")
			row.Columns = test.columns
			for range 2 { // twice is as once
				p.Transform(row)
			}
			if nodes, err := p.Indexers["node"](row); err != nil || !slices.Equal(nodes, []string{"node-1"}) {
				t.Errorf("the index has %v, %v", nodes, err)
			}
			if (row.Body != nil) != test.body || (row.ManagedFields != nil) != test.managed {
				t.Errorf("body %v, managedFields %v", row.Body, row.ManagedFields)
			}
		})
	}
}

func TestAnnotationsAreKeptForWhoReadsThem(t *testing.T) {
	names, all := plan.Need{Reader: "-o name", NoAnnotations: true}, plan.Need{Reader: "-o custom-columns"}
	byAnnotation := plan.Need{Reader: "--by annotation", Indexes: []index.Definition{indexOf(t, "annotation")}, NoAnnotations: true}
	for name, test := range map[string]struct {
		follow bool
		needs  []plan.Need
		kept   bool
	}{
		"names":                    {needs: []plan.Need{names}},
		"names, by an annotation":  {needs: []plan.Need{names, byAnnotation}},
		"what may read them":       {needs: []plan.Need{names, all}, kept: true},
		"a stream, for comparison": {needs: []plan.Need{names}, follow: true, kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan.For(pods, test.follow, test.needs...)
			row := podOn("node-1")
			row.Annotations = map[string]string{"team": "shop"}
			for range 2 { // twice is as once
				p.Transform(row)
			}
			if kept := row.Annotations != nil; kept != test.kept {
				t.Errorf("kept: %v", kept)
			}
			if index, ok := p.Indexers["annotation"]; ok {
				if values, _ := index(row); !slices.Equal(values, []string{"team", "team=shop"}) {
					t.Errorf("the index has %q", values)
				}
			}
		})
	}
}

func TestAWatchIsOpenedOnlyForWhoFollows(t *testing.T) {
	if plan.For(cache.Target{}, true).ListOnly {
		t.Error("following needs a watch")
	}
	p := plan.For(cache.Target{}, false)
	if !p.ListOnly || !strings.Contains(strings.Join(p.Reasons, "\n"), "no watch") {
		t.Errorf("got %+v", p)
	}
}
