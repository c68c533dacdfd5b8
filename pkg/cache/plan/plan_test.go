package plan_test

import (
	"strings"
	"testing"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
)

func TestTheLeastFormThatServesEveryReader(t *testing.T) {
	byNode := toolscache.Indexers{"node": func(any) ([]string, error) { return nil, nil }}
	for name, test := range map[string]struct {
		needs []plan.Need
		form  cache.Representation
	}{
		"names need metadata": {[]plan.Need{{Reader: "-o name"}}, cache.Metadata},
		"a table needs cells": {[]plan.Need{{Reader: "table", Form: cache.Cells}}, cache.Cells},
		"a table by node needs both": {
			[]plan.Need{{Reader: "table", Form: cache.Cells}, {Reader: "--by node", Form: cache.Whole, Indexers: byNode}},
			cache.Cells | cache.Whole,
		},
		"json by label needs whole objects": {
			[]plan.Need{{Reader: "-o json", Form: cache.Whole}, {Reader: "--by label"}},
			cache.Whole,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan.For(cache.Target{}, false, test.needs...)
			if p.Form != test.form {
				t.Errorf("got %s, want %s", p.Form, test.form)
			}
		})
	}
}

func TestIndexersOfEveryReaderAreKept(t *testing.T) {
	index := func(any) ([]string, error) { return nil, nil }
	p := plan.For(cache.Target{}, true,
		plan.Need{Indexers: toolscache.Indexers{"node": index}},
		plan.Need{Indexers: toolscache.Indexers{"owner": index}})
	if len(p.Indexers) != 2 || p.Indexers["node"] == nil || p.Indexers["owner"] == nil {
		t.Errorf("got %v", p.Indexers)
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
