package cache_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// rowsOf makes rows of words such as name, name#uid, or name:label.
func rowsOf(words string) []*cache.Row {
	var rows []*cache.Row
	for word := range strings.FieldsSeq(words) {
		row := &cache.Row{}
		name, label, _ := strings.Cut(word, ":")
		name, uid, _ := strings.Cut(name, "#")
		row.Namespace, row.Name, row.UID = "ns", name, types.UID(uid)
		row.Labels = map[string]string{"label": label}
		rows = append(rows, row)
	}
	return rows
}

// listed takes a list of pages, which are separated by slashes, and returns the
// number of each of its rows.
func listed(n *cache.Namesakes, resourceVersion, pages string) string {
	var rows []*cache.Row
	all := strings.Split(pages, "/")
	for i, words := range all {
		page := &cache.RowList{Items: rowsOf(words)}
		page.ResourceVersion = resourceVersion
		if i < len(all)-1 {
			page.Continue = "more"
		}
		rows = append(rows, page.Items...)
		n.Listed(page, i == 0)
	}
	var numbers []string
	keys := map[string]bool{}
	for _, row := range rows {
		numbers = append(numbers, fmt.Sprint(row.Namesake))
		key, _ := toolscache.MetaNamespaceKeyFunc(row)
		if keys[key] {
			numbers = append(numbers, "TWICE")
		}
		keys[key] = true
	}
	return strings.Join(numbers, " ")
}

func TestNamesakesKeepTheirNumbersFromListToList(t *testing.T) {
	for name, lists := range map[string][]string{
		"ordinary objects":                   {"a b c", "0 0 0"},
		"out of order":                       {"c a b", "0 0 0"},
		"three of one name":                  {"a:1 a:2 a:3 b", "0 1 2 0"},
		"pages apart":                        {"a:1 b/c/a:2", "0 0 0 1"},
		"listed in another order":            {"a:1 a:2 a:3", "0 1 2", "a:3 b a:1 a:2", "2 0 0 1"},
		"one is gone":                        {"a:1 a:2 a:3", "0 1 2", "a:3 a:2", "2 1", "a:3", "2", "a:3 a:4", "2 0"},
		"one has changed":                    {"a:1 a:2", "0 1", "a:2 a:new", "1 0"},
		"one is new":                         {"a:1 a:2", "0 1", "a:0 a:1 a:2", "2 0 1"},
		"told apart by their uids":           {"a#x a#y", "0 0", "a#y a#x", "0 0"},
		"of one uid":                         {"a#x:1 b#x a#x:2", "0 0 1", "a#x:2 b#x a#x:1", "1 0 0"},
		"of the same content":                {"a:1 a:1", "0 1", "a:1 a:1", "0 1"},
		"after a list that was not finished": {"a:1 a:2", "0 1", "a:2 a:1", "1 0"},
	} {
		t.Run(name, func(t *testing.T) {
			n := &cache.Namesakes{}
			for list := range slices.Chunk(lists, 2) {
				unfinished := &cache.RowList{Items: rowsOf("a:0 a:9")}
				unfinished.Continue = "more"
				n.Listed(unfinished, true)
				if got := listed(n, "", list[0]); got != list[1] {
					t.Errorf("%s: numbered %s, want %s", list[0], got, list[1])
				}
			}
		})
	}
}

func TestAWatchEventIsOnlyTakenWhereItIsCertainWhoseItIs(t *testing.T) {
	for name, test := range map[string]struct {
		list, event string
		certain     bool
		number      int
	}{
		"of the only one":               {"a b", "a:new", true, 0},
		"of a new one":                  {"a:1 a:2", "c", true, 0},
		"by its uid":                    {"a#x a#y", "a#y:new", true, 0},
		"a new one, by its uid":         {"a#x a#y", "a#z", true, 0},
		"without the uid":               {"a#x", "a", false, 0},
		"where only some have uids":     {"a#x b", "c", true, 0},
		"of one of several":             {"a:1 a:2", "a:3", false, 0},
		"of one of several, unchanged":  {"a:1 a:2", "a:2", true, 1},
		"of one of several of one uid":  {"a#x:1 a#x:2", "a#x:3", false, 0},
		"of a type that has no objects": {"", "a", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			n := &cache.Namesakes{}
			listed(n, "", test.list)
			row := rowsOf(test.event)[0]
			if got := n.Watched(cache.Modified, row); got != test.certain || row.Namesake != test.number {
				t.Errorf("got %v, number %d", got, row.Namesake)
			}
		})
	}
	n := &cache.Namesakes{}
	listed(n, "", "a:1 a:1 a:2")
	for _, want := range []int{0, 1} {
		row := rowsOf("a:1")[0]
		if !n.Watched(cache.Deleted, row) || row.Namesake != want {
			t.Errorf("deleted number %d, want %d", row.Namesake, want)
		}
	}
	if n.Watched(cache.Deleted, rowsOf("a:1")[0]) {
		t.Error("a third was deleted of two")
	}
}

func TestAStorageKeyHoldsNamespaceNameAndWhatElseMakesTheObject(t *testing.T) {
	keys := map[string]string{}
	for _, word := range []string{"a", "a#x", "a#y", "a-x", "b#x"} {
		for namesake := range 2 {
			row := rowsOf(word)[0]
			row.Namesake = namesake
			key, err := toolscache.MetaNamespaceKeyFunc(row)
			if err != nil || keys[key] != "" {
				t.Errorf("%s has the key of %s (%v)", word, keys[key], err)
			}
			keys[key] = word
			if name := cache.NameOfKey(key); name.Namespace != "ns" || name.Name != row.Name {
				t.Errorf("%q is the key of %v", key, name)
			}
		}
	}
	if name := cache.NameOfKey("node"); name.Namespace != "" || name.Name != "node" {
		t.Errorf("got %v", name)
	}
}

func TestAPackedRowIsTheObjectThatItWas(t *testing.T) {
	for _, meta := range []metav1.ObjectMeta{
		{Namespace: "ns", Name: "web-1", GenerateName: "web-", UID: "x", ResourceVersion: "7", Labels: map[string]string{"app": "web"}},
		{Namespace: "ns", Name: "web-1"},
		{Name: "node", UID: "x", ResourceVersion: "7"},
		{Name: "node", GenerateName: "other-"},
		{UID: "x"},
		{},
	} {
		for namesake := range 2 {
			row, packed := &cache.Row{ObjectMeta: meta}, &cache.Row{ObjectMeta: meta}
			packed.Pack()
			packed.Pack()
			row.Namesake, packed.Namesake = namesake, namesake // which is known when a list is complete
			if diff := cmp.Diff(row.ObjectMeta, packed.ObjectMeta); diff != "" || row.Identity() != packed.Identity() {
				t.Error(diff, packed.Identity())
			}
			key, _ := toolscache.MetaNamespaceKeyFunc(row)
			if packedKey, err := toolscache.MetaNamespaceKeyFunc(packed); err != nil || packedKey != key {
				t.Errorf("the key is %q, and was %q", packedKey, key)
			}
		}
	}
}

// BenchmarkNamesakes is what a list costs, by what its objects have.
func BenchmarkNamesakes(b *testing.B) {
	for _, uid := range []string{"#x", ""} {
		var words []string
		for i := range 100_000 {
			words = append(words, fmt.Sprintf("a%06d%s", i, uid))
		}
		page := &cache.RowList{Items: rowsOf(strings.Join(words, " "))}
		page.ResourceVersion = "1"
		b.Run("uid="+uid, func(b *testing.B) {
			n := &cache.Namesakes{}
			b.ReportAllocs()
			for b.Loop() {
				n.Listed(page, true)
			}
		})
	}
}
