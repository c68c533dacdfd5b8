package decode

import (
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

const (
	labelsField      protowire.Number = 11
	annotationsField protowire.Number = 12
	ownersField      protowire.Number = 13
)

// mostShared is how many different values are remembered of each kind. Of annotations
// they are fewer, and short: often each object has others, of any length.
const mostShared, mostAnnotations, maxAnnotations = 10_000, 1000, 4 << 10

// MetadataProtobuf reads PartialObjectMetadata in protobuf.
func MetadataProtobuf(kind schema.GroupVersionKind, keepManagedFields bool) Readers {
	known, meta := typeMeta(kind), newSharedMeta()
	return protobufList{
		kinds: []metav1.TypeMeta{
			typeMeta(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadataList")),
			typeMeta(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")),
		},
		row: func(message []byte) (*cache.Row, error) {
			parts, err := splitObject(message, keepManagedFields)
			if err != nil {
				return nil, err
			}
			row := &cache.Row{TypeMeta: known}
			return row, meta.decode(parts.metadata, &row.ObjectMeta)
		},
	}.readers()
}

// sharedMeta decodes metadata, of one encoding. Objects made by one owner have equal
// labels, equal owners and often equal annotations: those are decoded once, and are one
// value in memory, which nobody changes. It is safe for use by several goroutines.
type sharedMeta struct {
	mu                  sync.Mutex
	labels, annotations map[string]map[string]string
	owners              map[string][]metav1.OwnerReference
}

func newSharedMeta() *sharedMeta {
	return &sharedMeta{
		labels: map[string]map[string]string{}, annotations: map[string]map[string]string{},
		owners: map[string][]metav1.OwnerReference{},
	}
}

// decode decodes a message into an empty ObjectMeta, one run of fields of a kind
// after the other.
func (s *sharedMeta) decode(message []byte, into *metav1.ObjectMeta) error {
	start, at := 0, 0
	var kind protowire.Number
	err := eachField(message, func(number protowire.Number, field, _ []byte) error {
		switch number {
		case labelsField, annotationsField, ownersField:
		default:
			number = 0 // all others
		}
		if number != kind {
			if err := s.decodeRun(kind, message[start:at], into); err != nil {
				return err
			}
			kind, start = number, at
		}
		at += len(field)
		return nil
	})
	if err != nil {
		return err
	}
	return s.decodeRun(kind, message[start:at], into)
}

func (s *sharedMeta) decodeRun(kind protowire.Number, run []byte, into *metav1.ObjectMeta) (err error) {
	switch {
	case kind == labelsField && into.Labels == nil:
		into.Labels, err = shared(s, s.labels, mostShared, run, fromProtobuf(func(o *metav1.ObjectMeta) map[string]string { return o.Labels }))
		return err
	case kind == annotationsField && into.Annotations == nil && len(run) <= maxAnnotations:
		into.Annotations, err = shared(s, s.annotations, mostAnnotations, run, fromProtobuf(func(o *metav1.ObjectMeta) map[string]string { return o.Annotations }))
		return err
	case kind == ownersField && into.OwnerReferences == nil:
		into.OwnerReferences, err = shared(s, s.owners, mostShared, run, fromProtobuf(func(o *metav1.ObjectMeta) []metav1.OwnerReference { return o.OwnerReferences }))
		return err
	case kind == labelsField: // a second run: what is shared stays as it is
		into.Labels = maps.Clone(into.Labels)
	case kind == annotationsField:
		into.Annotations = maps.Clone(into.Annotations)
	case kind == ownersField:
		into.OwnerReferences = slices.Clone(into.OwnerReferences)
	}
	return into.Unmarshal(run)
}

// fromProtobuf decodes a run of fields, which are a part of metadata.
func fromProtobuf[V any](part func(*metav1.ObjectMeta) V) func([]byte) (V, error) {
	return func(run []byte) (V, error) {
		var decoded metav1.ObjectMeta
		err := decoded.Unmarshal(run)
		return part(&decoded), err
	}
}

// shared returns the value that was decoded of an equal text or run before, or decodes it.
func shared[V any](s *sharedMeta, known map[string]V, most int, from []byte, decode func([]byte) (V, error)) (V, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value, ok := known[string(from)]; ok {
		return value, nil
	}
	value, err := decode(from)
	if err != nil {
		return value, err
	}
	if len(known) >= most {
		clear(known)
	}
	known[string(from)] = value
	return value, nil
}
