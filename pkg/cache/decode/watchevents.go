package decode

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// EventSerializer reads a watch event, and leaves its object as text; the rest
// of a Serializer is the embedded one's.
type EventSerializer struct{ runtime.Serializer }

// Decode reads data into a *metav1.WatchEvent.
func (s EventSerializer) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	event, ok := into.(*metav1.WatchEvent)
	if !ok {
		return s.Serializer.Decode(data, defaults, into)
	}
	*event = metav1.WatchEvent{}
	if splitEvent(data, event) {
		return event, nil, nil
	}
	*event = metav1.WatchEvent{}
	if err := unmarshal(data, event); err != nil {
		return nil, nil, fmt.Errorf("the server sent a watch event that cannot be read: %w", err)
	}
	return event, nil, nil
}

// splitEvent finds the parts of an event that is as API servers write them, and says
// whether it is. The object stays a part of the text.
func splitEvent(text []byte, event *metav1.WatchEvent) bool {
	return scanMembers(text, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			return scanWord(value, &event.Type)
		case "object":
			if event.Object.Raw != nil || value[0] != '{' {
				return false
			}
			event.Object.Raw = value
			return true
		}
		return false
	})
}
