package dump

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// errNotObject is of JSON or YAML that was never meant for an API server: Helm's
// values, or configuration such as kustomization.yaml, which has no metadata.
var errNotObject = errors.New("not a Kubernetes object: it lacks apiVersion and kind, or metadata")

// document is the JSON of one document, or of one item of a list.
type document struct {
	origin origin
	// list is the type of the list that the document is an item of: it stands for
	// what the items of a typed list do not say of themselves.
	list metav1.TypeMeta
	// newest is the newest time in the objects.
	newest time.Time
	// objects and faults are what was found in the document.
	objects []*object
	faults  []error
}

// shape is what is looked at to find the objects in a document.
type shape struct {
	APIVersion span `json:"apiVersion"`
	Kind       span `json:"kind"`
	Metadata   span `json:"metadata"`
	Items      span `json:"items"`
	// Type and Object are those of a watch event.
	Type   span `json:"type"`
	Object span `json:"object"`
}

func (s shape) self() metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: s.APIVersion.text(), Kind: s.Kind.text()}
}

// read finds the objects in a document: itself, the items of a list, the object
// of a watch event.
func (d *document) read(raw span) error {
	if raw.begins('[') {
		return d.items(raw, metav1.TypeMeta{})
	}
	if !raw.begins('{') {
		return errNotObject
	}
	var s shape
	if err := kubejson.Unmarshal(raw, &s); err != nil {
		return err
	}
	self := s.self()
	isList := strings.HasSuffix(self.Kind, "List")
	switch event := cache.EventType(s.Type.text()); {
	case self == metav1.TypeMeta{} && isEvent(event):
		return d.event(event, s.Object)
	case event == cache.Synced && s.Object == nil && s.Metadata == nil:
		return nil // it names a type, and has no object
	case event == RecordType && self == metav1.TypeMeta{} && s.Metadata == nil:
		return nil // the first line of a record
	case s.Items.begins('['):
		return d.items(s.Items, self)
	case isList && !s.Items.begins('{') && !s.Metadata.has("name"):
		return nil // a list of nothing
	}
	return d.object(raw, s.Metadata, self)
}

// items reads the items of a list as documents. Those at fault leave the others.
func (d *document) items(raw span, list metav1.TypeMeta) error {
	var items []span
	if err := kubejson.Unmarshal(raw, &items); err != nil {
		return err
	}
	outer := d.list
	defer func() { d.list = outer }()
	for i, item := range items {
		d.list = list
		if err := d.read(item); err != nil {
			d.faults = append(d.faults, d.origin.fault(fmt.Errorf("item %d: %w", i+1, err)))
		}
	}
	return nil
}

func isEvent(event cache.EventType) bool {
	switch event {
	case cache.Added, cache.Modified, cache.Deleted, cache.Resync, cache.Synced, watch.Bookmark, watch.Error:
		return true
	}
	return false
}

// event reads the object of an event; a deleted one is kept, marked as such.
func (d *document) event(event cache.EventType, raw span) error {
	switch event {
	case cache.Synced, watch.Bookmark, watch.Error:
		return nil
	}
	before := len(d.objects)
	err := d.read(raw)
	for _, object := range d.objects[before:] {
		object.deleted = object.deleted || event == cache.Deleted
	}
	return err
}

// object reads what is not a list: an object, if it has what every object has.
func (d *document) object(raw, metadata span, self metav1.TypeMeta) error {
	if self.APIVersion == "" {
		self.APIVersion = d.list.APIVersion
	}
	if kind, ok := strings.CutSuffix(d.list.Kind, "List"); ok && self.Kind == "" {
		self.Kind = kind
	}
	if self == (metav1.TypeMeta{}) || !metadata.begins('{') {
		return errNotObject
	}
	var meta objectMeta
	err := kubejson.Unmarshal(metadata, &meta)
	known := lost{self.APIVersion, self.Kind, meta.Namespace, meta.Name}
	if err != nil {
		return &lostError{err, lost{self.APIVersion, self.Kind, "", ""}}
	}
	version, err := schema.ParseGroupVersion(self.APIVersion)
	switch {
	case err != nil:
		return &lostError{err, known}
	case self.APIVersion == "":
		return &lostError{errors.New("the object has no apiVersion"), known}
	case self.Kind == "":
		return &lostError{errors.New("the object has no kind"), known}
	case meta.Name == "":
		return &lostError{errors.New("the object has no metadata.name"), known}
	}
	if t := newestTime(raw); t.After(d.newest) {
		d.newest = t
	}
	d.objects = append(d.objects, &object{
		kind:      version.WithKind(self.Kind),
		namespace: meta.Namespace, name: meta.Name, resourceVersion: meta.ResourceVersion, uid: meta.UID,
		raw: raw, origin: d.origin,
	})
	return nil
}

// span is a value that is not decoded: a part of the JSON it was read from.
type span []byte

// UnmarshalJSON keeps data: nothing changes what has been read.
func (s *span) UnmarshalJSON(data []byte) error {
	*s = data
	return nil
}

func (s span) begins(with byte) bool { return len(s) > 0 && s[0] == with }

// text is the value if it is a string, else empty.
func (s span) text() string {
	var text string
	if s.begins('"') && json.Unmarshal(s, &text) == nil {
		return text
	}
	return ""
}

// has says whether the value is a map with a member of that name.
func (s span) has(name string) bool {
	var members map[string]span
	return s.begins('{') && kubejson.Unmarshal(s, &members) == nil && members[name] != nil
}
