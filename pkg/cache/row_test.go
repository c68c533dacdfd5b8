package cache_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestRowsAreInTheOrderOfTheServersKeys(t *testing.T) {
	keys := []string{"a-b/z", "a.b/a", "a/a", "a/a-1", "a/a.b", "ab/a", "b/a"}
	var rows []*cache.Row
	for _, key := range keys {
		row := &cache.Row{}
		row.Namespace, row.Name, _ = strings.Cut(key, "/")
		rows = append(rows, row)
	}
	rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	cache.SortRows(rows)
	var got []string
	for _, row := range rows {
		got = append(got, row.Namespace+"/"+row.Name)
	}
	slices.Sort(keys)
	if !slices.Equal(got, keys) {
		t.Errorf("got  %q\nwant %q", got, keys)
	}
}

func TestRowsOfOneListKeepTheServersOrder(t *testing.T) {
	first, second := &cache.Row{Position: 1}, &cache.Row{Position: 2}
	first.Name, second.Name = "z", "a"
	rows := []*cache.Row{second, first}
	cache.SortRows(rows)
	if rows[0] != first {
		t.Error("sorted by name")
	}
	changed := &cache.Row{}
	changed.Name = "m"
	rows = []*cache.Row{first, changed, second}
	cache.SortRows(rows)
	if rows[0] != second || rows[1] != changed || rows[2] != first {
		t.Error("rows of a watch among them are not in the order of names")
	}
}

func TestWhatATargetIsCalled(t *testing.T) {
	for want, target := range map[string]cache.Target{
		`pods`:                     {Resource: gvr("", "pods"), Namespaced: true},
		`pods in namespace "shop"`: {Resource: gvr("", "pods"), Namespaced: true, Namespace: "shop"},
		`deployments.apps "web" in namespace "shop"`: {Resource: gvr("apps", "deployments"), Namespaced: true, Namespace: "shop", Name: "web"},
	} {
		if got := target.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestARowWithoutABodyIsItsMetadata(t *testing.T) {
	row := &cache.Row{}
	row.APIVersion, row.Kind, row.Name = "v1", "Pod", "web"
	object, err := row.Unstructured()
	if err != nil || object.GetKind() != "Pod" || object.GetName() != "web" {
		t.Errorf("got %v, %v", object, err)
	}
}

func TestARepresentationNamesItsParts(t *testing.T) {
	if got := (cache.Cells | cache.Whole).String(); got != "metadata+cells+whole objects" {
		t.Errorf("got %q", got)
	}
	if cache.Metadata.Has(cache.Cells) || !(cache.Cells | cache.Whole).Has(cache.Whole) {
		t.Error("parts are confused")
	}
}

func gvr(group, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}
}
