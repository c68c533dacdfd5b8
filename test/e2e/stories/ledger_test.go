package stories

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// step is what is told of an object at one time.
type step struct {
	Type            watch.EventType
	ResourceVersion string
}

// steps are what has been told of each object, in order.
type steps map[types.UID][]step

func (s steps) add(kind watch.EventType, object *unstructured.Unstructured) {
	s[object.GetUID()] = append(s[object.GetUID()], step{kind, object.GetResourceVersion()})
}

// ledger is what somebody knows who has read a stream of JSON lines from its
// beginning.
type ledger struct {
	// lines is how many have been read.
	lines int
	// objects are those that are there, by kind, namespace and name.
	objects map[string]map[string]any
	told    steps
}

func newLedger() *ledger { return &ledger{objects: map[string]map[string]any{}, told: steps{}} }

// read replays the lines that have not been read yet.
func (l *ledger) read(lines []string) error {
	for _, line := range lines[l.lines:] {
		var event struct {
			Type   watch.EventType
			Object json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return fmt.Errorf("%w in the line %q", err, line)
		}
		l.lines++
		if event.Type == cache.Synced {
			continue
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(event.Object); err != nil {
			return fmt.Errorf("%w in the line %q", err, line)
		}
		l.told.add(event.Type, object)
		if event.Type == watch.Deleted {
			delete(l.objects, keyOf(object))
		} else {
			l.objects[keyOf(object)] = object.Object
		}
	}
	return nil
}

func keyOf(object *unstructured.Unstructured) string {
	return strings.Join([]string{object.GetKind(), object.GetNamespace(), object.GetName()}, " ")
}

// differs says how the objects differ from those of a List that kubectl has
// printed; nil if they do not.
func (l *ledger) differs(list string) error {
	var server unstructured.UnstructuredList
	if err := server.UnmarshalJSON([]byte(list)); err != nil {
		return err
	}
	for _, object := range server.Items {
		told, ok := l.objects[keyOf(&object)]
		if !ok {
			return fmt.Errorf("%s is not in the stream", keyOf(&object))
		}
		if !reflect.DeepEqual(told, object.Object) {
			return fmt.Errorf("of %s was told:\n%v\nthe server has:\n%v", keyOf(&object), told, object.Object)
		}
	}
	if len(l.objects) != len(server.Items) {
		return fmt.Errorf("%d objects are in the stream, the server has %d", len(l.objects), len(server.Items))
	}
	return nil
}

// lawful says which law of a stream what was told of an object breaks, if any:
// it is added before all else and deleted after all else, once each, and its
// resourceVersion only rises.
func lawful(told []step) error {
	last := uint64(0)
	for n, s := range told {
		switch version, err := strconv.ParseUint(s.ResourceVersion, 10, 64); {
		case err != nil:
			return err
		case version <= last:
			return fmt.Errorf("step %d: the resourceVersion does not rise", n+1)
		case (s.Type == watch.Added) != (n == 0):
			return fmt.Errorf("step %d is %s", n+1, s.Type)
		case s.Type == watch.Deleted && n < len(told)-1:
			return fmt.Errorf("step %d is DELETED, and not the last", n+1)
		default:
			last = version
		}
	}
	return nil
}
