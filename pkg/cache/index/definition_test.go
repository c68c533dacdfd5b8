package index

import (
	"errors"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// countingBody counts how often it is decoded.
type countingBody struct {
	cache.MapBody
	decoded *int
}

func (b countingBody) Unstructured() (*unstructured.Unstructured, error) {
	*b.decoded++
	return b.MapBody.Unstructured()
}

func TestTransformDecodesAnObjectOnceForAllIndexes(t *testing.T) {
	b := mustBind(t, podTarget(), "node=n1", "image=nginx", ".status.phase=Running", "name=a", "secret!=s")
	transform := Transform(b.Definitions()...)
	indexer := indexerOf(t, b.Indexers())
	decoded := 0
	for _, node := range []string{"n1", "n2", "n1"} {
		row := pod("a", node, "Running", "nginx")
		row.Body = countingBody{row.Body.(cache.MapBody), &decoded}
		for range 2 { // client-go transforms the objects of the first list twice
			transformed, err := transform(row)
			if err != nil || transformed != row {
				t.Fatalf("%v, %v", transformed, err)
			}
		}
		if err := indexer.Update(row); err != nil {
			t.Fatal(err)
		}
		if selected := len(b.Select(indexer)); selected == 1 != (node == "n1") {
			t.Errorf("on %s: %d rows", node, selected)
		}
	}
	if decoded != 3 {
		t.Errorf("3 objects were decoded %d times", decoded)
	}
}

func TestABodyMayGoOnceItsIndexesAreKnown(t *testing.T) {
	b := mustBind(t, podTarget(), "node=n1", "image=nginx", "secret!=s")
	row := pod("a", "n1", "Running", "nginx")
	if _, err := Transform(b.Definitions()...)(row); err != nil {
		t.Fatal(err)
	}
	row.Body = nil
	if !b.Match(row) || len(b.Select(indexerOf(t, b.Indexers(), row))) != 1 {
		t.Error("the row no longer matches")
	}
	if copied := row.DeepCopyObject().(*cache.Row); !b.Match(copied) {
		t.Error("a copy of it does not match")
	}
}

func TestWhatIsNoRowHasNoValues(t *testing.T) {
	d := mustLookup(t, podTarget(), "node")
	for _, object := range []any{nil, "text", toolscache.DeletedFinalStateUnknown{Key: "a/b"}} {
		if values, err := d.Func(object); len(values) > 0 || err != nil {
			t.Errorf("%v: %q, %v", object, values, err)
		}
		if same, err := Transform(d)(object); same != object || err != nil {
			t.Errorf("%v is transformed into %v, %v", object, same, err)
		}
	}
}

type brokenBody struct{}

func (brokenBody) Unstructured() (*unstructured.Unstructured, error) {
	return nil, errors.New("no decoder reads this")
}

func TestABodyThatNobodyCanReadHasNoValues(t *testing.T) {
	row := pod("a", "n1", "Running")
	row.Body = brokenBody{}
	for _, d := range everyDefinition(t) {
		values, err := d.Func(row)
		if err != nil {
			t.Errorf("index %q: %v", d.Name, err)
		}
		if d.Needs.Has(cache.Whole) && slices.Contains(values, "n1") {
			t.Errorf("index %q: %q", d.Name, values)
		}
	}
	wantValues(t, mustLookup(t, podTarget(), "name"), row, []string{"a"})
	wantValues(t, mustLookup(t, podTarget(), "metadata.name"), row, []string{"a"})
}
