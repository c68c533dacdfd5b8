package ledger

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// Type is a type of objects that are written.
type Type struct {
	Resource schema.GroupVersionResource
	Kind     string
}

// Write is a change that the server has accepted.
type Write struct {
	Verb    string // create, update or delete
	Key     Key
	Version Version
}

// Writer changes objects of several types in one namespace, and remembers what
// the server has accepted. Its methods may be called from any goroutine.
type Writer struct {
	client    dynamic.Interface
	namespace string
	// limit bounds a request: while a server is away, it is not waited for.
	limit time.Duration

	mu       sync.Mutex
	random   *rand.Rand
	next     int
	accepted []Write
	objects  map[Key]Version
	// unclear are the keys of requests that failed: the server may have accepted
	// them none the less.
	unclear map[Key]bool
	// turns order the requests for one object: answers to two at a time may come in
	// another order than the server has accepted them in.
	turns map[Key]*sync.Mutex
}

// NewWriter returns a writer that draws what it does from random.
func NewWriter(client dynamic.Interface, namespace string, random *rand.Rand) *Writer {
	return &Writer{
		client: client, namespace: namespace, limit: 10 * time.Second, random: random,
		objects: map[Key]Version{}, unclear: map[Key]bool{}, turns: map[Key]*sync.Mutex{},
	}
}

// Key returns the key of an object of a type.
func (w *Writer) Key(t Type, name string) Key { return Key{t.Kind, w.namespace, name} }

func (w *Writer) resource(t Type) dynamic.ResourceInterface {
	return w.client.Resource(t.Resource).Namespace(w.namespace)
}

// turn waits until no other request for an object is made; done ends it.
func (w *Writer) turn(key Key) (done func()) {
	w.mu.Lock()
	if w.turns[key] == nil {
		w.turns[key] = &sync.Mutex{}
	}
	turn := w.turns[key]
	w.mu.Unlock()
	turn.Lock()
	return turn.Unlock
}

// Create creates an object with labels.
func (w *Writer) Create(ctx context.Context, t Type, name string, labels map[string]string) error {
	defer w.turn(w.Key(t, name))()
	ctx, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	object := &unstructured.Unstructured{}
	object.SetAPIVersion(t.Resource.GroupVersion().String())
	object.SetKind(t.Kind)
	object.SetName(name)
	object.SetLabels(labels)
	created, err := w.resource(t).Create(ctx, object, metav1.CreateOptions{})
	return w.note("create", w.Key(t, name), created, err)
}

// Change gives an object an annotation that it did not have.
func (w *Writer) Change(ctx context.Context, t Type, name string) error {
	defer w.turn(w.Key(t, name))()
	ctx, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"changed":%q}}}`, fmt.Sprint(w.draw(1<<30)))
	changed, err := w.resource(t).Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return w.note("update", w.Key(t, name), changed, err)
}

// Delete deletes an object.
func (w *Writer) Delete(ctx context.Context, t Type, name string) error {
	defer w.turn(w.Key(t, name))()
	ctx, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	return w.note("delete", w.Key(t, name), nil, w.resource(t).Delete(ctx, name, metav1.DeleteOptions{}))
}

func (w *Writer) note(verb string, key Key, object *unstructured.Unstructured, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.unclear[key] = true
		return fmt.Errorf("cannot %s %v: %w", verb, key, err)
	}
	delete(w.unclear, key)
	write := Write{Verb: verb, Key: key, Version: w.objects[key]}
	if verb == "delete" {
		delete(w.objects, key)
	} else {
		write.Version = VersionOf(object)
		w.objects[key] = write.Version
	}
	w.accepted = append(w.accepted, write)
	return nil
}

func (w *Writer) draw(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(n)
}

// Random makes one change to an object of one of the types that has no labels:
// of ten, four create, three change, two delete, and one deletes and creates
// again under the same name.
func (w *Writer) Random(ctx context.Context, all ...Type) error {
	t := all[w.draw(len(all))]
	name, ok := w.pick(t)
	switch choice := w.draw(10); {
	case !ok || choice < 4:
		return w.Create(ctx, t, w.newName(), nil)
	case choice < 7:
		return w.Change(ctx, t, name)
	case choice < 9:
		return w.Delete(ctx, t, name)
	default:
		return w.Replace(ctx, t, name)
	}
}

// Replace deletes an object and creates another under its name.
func (w *Writer) Replace(ctx context.Context, t Type, name string) error {
	if err := w.Delete(ctx, t, name); err != nil {
		return err
	}
	return w.Create(ctx, t, name, nil)
}

// New creates an object of a type, with a name of its own.
func (w *Writer) New(ctx context.Context, t Type) error { return w.Create(ctx, t, w.newName(), nil) }

// Restored says that the server has an older state again: what it has accepted
// counts for nothing any more.
func (w *Writer) Restored() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, write := range w.accepted {
		w.unclear[write.Key] = true
	}
}

// random is the beginning of the names of objects that may be changed at random.
const random = "random-"

func (w *Writer) newName() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next++
	return fmt.Sprintf("%s%d", random, w.next)
}

// pick draws an object that is there.
func (w *Writer) pick(t Type) (name string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var names []string
	for key := range w.objects {
		if key.Kind == t.Kind && len(key.Name) > len(random) && key.Name[:len(random)] == random {
			names = append(names, key.Name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	slices.Sort(names)
	return names[w.random.IntN(len(names))], true
}

// Accepted returns how many changes the server has accepted.
func (w *Writer) Accepted() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.accepted)
}

// Forget forgets what was written of a type: somebody else has removed it.
func (w *Writer) Forget(t Type) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.objects, func(key Key, _ Version) bool { return key.Kind == t.Kind })
}

// List asks the server, consistently, for all objects of some types.
func (w *Writer) List(ctx context.Context, all ...Type) (Objects, error) {
	objects := Objects{}
	for _, t := range all {
		list, err := w.resource(t).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			continue // a type that is gone has no objects
		}
		if err != nil {
			return nil, err
		}
		for n := range list.Items {
			objects[KeyOf(&list.Items[n])] = VersionOf(&list.Items[n])
		}
	}
	return objects, nil
}

// Disagrees says where a list is not what the accepted writes add up to: who
// finds such a thing cannot trust the list. Keys of requests that failed are left
// out, since nobody knows what became of them.
func (w *Writer) Disagrees(list Objects, all ...Type) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	kinds := make([]string, len(all))
	for n, t := range all {
		kinds[n] = t.Kind
	}
	written, listed := Objects(w.objects).Of(kinds...), list.Of(kinds...)
	for key := range w.unclear {
		delete(written, key)
		delete(listed, key)
	}
	for key := range listed {
		if _, ours := written[key]; !ours && key.Name == "kube-root-ca.crt" {
			delete(listed, key)
		}
	}
	return Differences(written, listed)
}
