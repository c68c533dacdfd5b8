package workloads

import (
	"io/fs"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestManifestsNameEveryObjectOnce(t *testing.T) {
	seen := map[string]string{}
	eachManifest(t, func(file string, object *unstructured.Unstructured) {
		key := object.GroupVersionKind().GroupKind().String() + " " + object.GetNamespace() + "/" + object.GetName()
		if object.GetKind() == "" || object.GetName() == "" {
			t.Errorf("%s: an object without kind or name: %s", file, key)
		}
		if other, found := seen[key]; found {
			t.Errorf("%s: %s is in %s too: the last one applied would win", file, key, other)
		}
		seen[key] = file
	})
	if len(seen) == 0 {
		t.Fatal("no manifests are embedded")
	}
}

func TestWhatNeverComesUpIsThere(t *testing.T) {
	found := map[string]bool{}
	eachManifest(t, func(_ string, object *unstructured.Unstructured) {
		found[object.GetKind()+" "+object.GetNamespace()+"/"+object.GetName()] = true
	})
	for _, want := range []string{"Pod dev/" + StuckPod, "PersistentVolumeClaim dev/" + UnboundClaim} {
		if !found[want] {
			t.Errorf("no manifest has %s", want)
		}
	}
}

func TestNumbersKeepAllTheirDigits(t *testing.T) {
	var serial int64
	eachManifest(t, func(_ string, object *unstructured.Unstructured) {
		if object.GetKind() == "Widget" && object.GetName() == "bolt" {
			serial, _, _ = unstructured.NestedInt64(object.Object, "spec", "serial")
		}
	})
	if serial != 9007199254740993 {
		t.Errorf("got %d", serial)
	}
}

func TestSizesAreReadAsUsersSpellThem(t *testing.T) {
	for _, size := range []Size{Small, Demo} {
		if got, err := ParseSize(string(size)); err != nil || got != size {
			t.Errorf("%s: got %q, %v", size, got, err)
		}
	}
	if got, err := ParseSize("huge"); err == nil {
		t.Errorf("huge: got %q", got)
	}
}

func eachManifest(t *testing.T, visit func(file string, object *unstructured.Unstructured)) {
	t.Helper()
	files, err := fs.Glob(manifests, "*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		objects, err := decode(file)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, object := range objects {
			visit(file, object)
		}
	}
}
