package decode

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func metaMessage(t testing.TB, meta metav1.ObjectMeta) []byte {
	t.Helper()
	message, err := meta.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func TestObjectsOfOneOwnerShareTheirLabelsAndAnnotations(t *testing.T) {
	s := newSharedMeta()
	var metas [3]metav1.ObjectMeta
	for i, hash := range []string{"x", "x", "y"} {
		meta := metav1.ObjectMeta{Name: fmt.Sprint("web-", i), Labels: map[string]string{"app": "web", "hash": hash},
			Annotations:     map[string]string{"checksum": hash},
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: hash}}}
		if err := s.decode(metaMessage(t, meta), &metas[i]); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(meta, metas[i]); diff != "" {
			t.Error(diff)
		}
	}
	if len(s.labels) != 2 || len(s.annotations) != 2 || len(s.owners) != 2 || &metas[0].OwnerReferences[0] != &metas[1].OwnerReferences[0] {
		t.Errorf("%d labels, %d annotations, %d owners in memory", len(s.labels), len(s.annotations), len(s.owners))
	}
}

// Nothing that one message says may show in the object of another.
func TestLabelsInPiecesAreNotWrittenIntoSharedOnes(t *testing.T) {
	s := newSharedMeta()
	labels := metaMessage(t, metav1.ObjectMeta{Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"a": "1"}, OwnerReferences: []metav1.OwnerReference{{Name: "a"}}})
	long := strings.Repeat("long", maxAnnotations)
	more := metaMessage(t, metav1.ObjectMeta{Name: "x", Labels: map[string]string{"app": "other"}, Annotations: map[string]string{"b": long}, OwnerReferences: []metav1.OwnerReference{{Name: "b"}}})
	for _, message := range [][]byte{labels, slices.Concat(labels, more), slices.Concat(more, labels), labels, more} {
		var want, got metav1.ObjectMeta
		if err := want.Unmarshal(message); err != nil {
			t.Fatal(err)
		}
		if err := s.decode(message, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWhatIsSharedIsBounded(t *testing.T) {
	s := newSharedMeta()
	for n := range mostShared + 2 {
		var meta metav1.ObjectMeta
		if err := s.decode(metaMessage(t, metav1.ObjectMeta{Labels: map[string]string{"n": fmt.Sprint(n)}, Annotations: map[string]string{"n": fmt.Sprint(n)}}), &meta); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.labels) != 2 || len(s.annotations) > mostAnnotations {
		t.Errorf("%d labels, %d annotations are remembered", len(s.labels), len(s.annotations))
	}
}

func TestMetadataThatCannotBeReadIsAnError(t *testing.T) {
	for _, message := range [][]byte{{0xff}, bytes.Repeat([]byte{0x5a, 1, 7}, 2), {0x6a, 1, 7}, {0x0a, 2, 'x'}} {
		if err := newSharedMeta().decode(message, &metav1.ObjectMeta{}); err == nil {
			t.Errorf("%x can be read", message)
		}
	}
}
