package printers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// sortedNames sorts objects with the given values in .v (and index in .i) and
// returns the values in order.
func sortedNames(t *testing.T, values []any, keys ...string) ([]any, error) {
	t.Helper()
	var rows []*cache.Row
	for i, value := range values {
		body := map[string]any{"apiVersion": "v1", "kind": "Thing", "i": int64(i), "v": value}
		if value == absent {
			delete(body, "v")
		}
		row := &cache.Row{Body: cache.MapBody(body)}
		row.Kind, row.APIVersion, row.Name = "Thing", "v1", "thing"
		rows = append(rows, row)
	}
	sorter, err := (&Flags{SortBy: keys}).Sorter()
	if err != nil {
		t.Fatal(err)
	}
	sorted, err := sorter.Sort(rows)
	if err != nil {
		return nil, err
	}
	var got []any
	for _, row := range sorted {
		value, has := row.Body.(cache.MapBody)["v"]
		if !has {
			value = absent
		}
		got = append(got, value)
	}
	return got, nil
}

const absent = "(absent)"

func TestValuesSortByWhatTheyMean(t *testing.T) {
	for name, c := range map[string]struct{ values, want []any }{
		"integers":         {[]any{int64(10), int64(9), int64(-1)}, []any{int64(-1), int64(9), int64(10)}},
		"beyond a float":   {[]any{maxExact, maxExact - 1, maxExact + 1}, []any{maxExact - 1, maxExact, maxExact + 1}},
		"mixed numbers":    {[]any{1.5, int64(2), int64(1), 0.5}, []any{0.5, int64(1), 1.5, int64(2)}},
		"quantities":       {[]any{"1Gi", "900Mi", "1G", "500m", "2"}, []any{"500m", "2", "900Mi", "1G", "1Gi"}},
		"number or string": {[]any{"http", int64(80), "8"}, []any{"8", int64(80), "http"}},
		"times": {
			[]any{"2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z", "2023-12-31T23:30:00-01:00", "2023-01-01T00:00:00Z"},
			[]any{"2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z", "2023-12-31T23:30:00-01:00"},
		},
		"text":     {[]any{"b", "", "a", "1.2.3", "-"}, []any{"", "-", "1.2.3", "a", "b"}},
		"booleans": {[]any{true, false, true}, []any{false, true, true}},
		"missing and null come last": {
			[]any{absent, "b", nil, "a", nil}, []any{"a", "b", absent, nil, nil},
		},
		"a number too long to write out": {
			[]any{"1e999999999", "1e-999999999", "7"}, []any{"7", "1e-999999999", "1e999999999"},
		},
	} {
		got, err := sortedNames(t, c.values, ".v")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDescendingKeepsMissingLastAndTiesInOrder(t *testing.T) {
	got, err := sortedNames(t, []any{absent, "a", "b", nil, "c"}, "-{.v}")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"c", "b", "a", absent, nil}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheSecondKeyDecidesTies(t *testing.T) {
	sorter, err := (&Flags{SortBy: []string{"metadata.namespace", "-.metadata.name"}}).Sorter()
	if err != nil {
		t.Fatal(err)
	}
	typ := shop().typed("pods")
	rows := typ.rows()
	sorted, err := sorter.Sort(rows)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range sorted {
		got = append(got, row.Namespace+"/"+row.Name)
	}
	if want := "prod/web-2-with-a-long-name prod/web-1 test/web-1"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if rows[0].Name != "web-1" {
		t.Error("the slice that was given in was reordered")
	}
}

// kubernetes/kubernetes#36304
func TestAFieldWithoutOrderIsAnErrorAndNoTrace(t *testing.T) {
	for value, why := range map[string]any{
		"it is a map":  map[string]any{"a": "b"},
		"it is a list": []any{"a"},
	} {
		_, err := sortedNames(t, []any{"a", why}, ".v")
		want := `--sort-by: field {.v} of Thing "thing" cannot be sorted by: ` + value
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := sortedNames(t, []any{why}, ".v"); err != nil {
			t.Errorf("one object needs no order: %v", err)
		}
	}
}

func TestAPathThatFitsOnlySomeObjectsIsMissingInTheOthers(t *testing.T) {
	got, err := sortedNames(t, []any{[]any{}, []any{"z", "b"}, "text", []any{"z", "a"}}, ".v[1]")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{[]any{"z", "a"}, []any{"z", "b"}, []any{}, "text"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzSortValuesAreOrdered(f *testing.F) {
	for _, seed := range []string{"", "1", "1Gi", "1e9999999", "-", "2024-01-01T00:00:00Z", "abc", "\x00", "NaN"} {
		f.Add(seed, "5m", "web-1")
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		x, y, z := textValue(a), textValue(b), textValue(c)
		if x.compare(y) != -y.compare(x) {
			t.Errorf("%q and %q disagree about who is first", a, b)
		}
		if x.compare(y) <= 0 && y.compare(z) <= 0 && x.compare(z) > 0 {
			t.Errorf("%q, %q, %q go in a circle", a, b, c)
		}
	})
}
