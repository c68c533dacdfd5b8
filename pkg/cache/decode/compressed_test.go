package decode

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
)

// A compressed object must be in nothing different from one that is not: a re-list
// would else report changes of objects that have not changed.
func TestACompressedObjectIsTheObject(t *testing.T) {
	for name, list := range map[string]func(*corev1.PodList) (any, error){
		"JSON": func(pods *corev1.PodList) (any, error) {
			data, err := json.Marshal(pods)
			if err != nil {
				return nil, err
			}
			return WholeJSON(podKind, false).List(data)
		},
		"protobuf": func(pods *corev1.PodList) (any, error) {
			message, err := pods.Marshal()
			if err != nil {
				return nil, err
			}
			return WholeProtobuf(podKind, false).List(envelope("v1", "PodList", message))
		},
	} {
		t.Run(name, func(t *testing.T) {
			pods := &corev1.PodList{}
			pods.Kind, pods.APIVersion = "PodList", "v1"
			for n := range 1500 {
				pods.Items = append(pods.Items, *runningPod(n))
			}
			answer, err := list(pods)
			if err != nil {
				t.Fatal(err)
			}
			var compressor compress.Compressor
			compressed := 0
			for n, plain := range answer.(*cache.RowList).Items {
				row := *plain
				compressor.Compress(&row)
				if fmt.Sprint(row.Body) != fmt.Sprint(plain.Body) {
					compressed++
				}
				if n%100 == 99 {
					expectSameRow(t, plain, &row)
				}
			}
			if compressed < 400 {
				t.Errorf("%d rows are compressed", compressed)
			}
		})
	}
}

func expectSameRow(t *testing.T, plain, row *cache.Row) {
	t.Helper()
	if diff := cmp.Diff(body(t, plain), body(t, row)); diff != "" {
		t.Error(diff)
	}
	want, _ := plain.Body.(cache.JSONBody).JSON()
	if got, err := row.Body.(cache.JSONBody).JSON(); err != nil || string(got) != string(want) {
		t.Errorf("printed as %s, want %s; %v", got, want, err)
	}
	if typed, ok := plain.Body.(cache.TypedBody); ok {
		want, _ := typed.Object()
		got, err := row.Body.(cache.TypedBody).Object()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v; %s", err, diff)
		}
	}
	if !cache.SameContent(plain, row) || !cache.SameContent(row, plain) {
		t.Error("it counts as changed")
	}
	other := *row
	other.Body = cache.MapBody(body(t, row))
	if cache.SameContent(row, &other) {
		t.Error("a body of another kind counts as the same")
	}
}
