package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/kubectl-informer/kubectl-informer/test/faults/ledger"
)

// samples are the type of an aggregated API.
func samples(group string) ledger.Type {
	return ledger.Type{Resource: schema.GroupVersionResource{Group: group + ".example.com", Version: "v1", Resource: "samples"}, Kind: "Sample"}
}

// aggregation are the faults of an API that the API server passes on to another.
func aggregation() []scenario {
	down, hanging, unversioned, listed := samples("down"), samples("hanging"), samples("unversioned"), samples("listed")
	failing := func(name string, one ledger.Type, is condition) scenario {
		return scenario{
			name: name, commands: all(), broken: &one,
			before: func(l *lab) { l.api = l.aggregate(one, false, "list", "watch") },
			fault: func(l *lab) {
				l.api.be(is)
				l.stay(lasts(8*time.Second, 60*time.Second))
				l.api.be(healthy)
			},
			calm: true,
			says: outageOfOne(),
		}
	}
	hangs := failing("an aggregated API hangs", hanging, stuck)
	hangs.says = []sight{{line: lostOne, optional: true, within: time.Minute}, {line: backAfter, after: true, optional: true}}
	return []scenario{
		failing("an aggregated API is down", down, unavailable),
		hangs,
		{
			name: "an aggregated API without resourceVersions is down while objects are deleted", commands: []command{tail, query}, broken: &unversioned, calm: true,
			before: func(l *lab) {
				l.api = l.aggregate(unversioned, true, "list", "watch")
				l.must(l.writer.New(l.Context(), unversioned))
			},
			fault: func(l *lab) {
				l.api.be(unavailable)
				l.api.forget(1)
				l.stay(4 * time.Second)
				l.api.be(healthy)
				// What changes between a list and its watch nobody can tell without versions.
				l.must(eventually(l.Context(), lasts(patience, 3*patience), l.api.isWatched(len(l.watchers))))
			},
			says:  outageOfOne(),
			spare: []invariant{risingVersions},
		},
		{
			name: "an aggregated API can be listed and not watched", when: starting, broken: &listed, closed: true, calm: true,
			before: func(l *lab) { l.api = l.aggregate(listed, false, "list") },
			fault:  func(l *lab) { l.stay(time.Second) },
			says:   []sight{must(cannot)},
		},
	}
}

// condition is how the server of an aggregated API is.
type condition int

const (
	healthy condition = iota
	unavailable
	stuck
)

// sampleAPI is the server of an aggregated API: its type can be created, patched,
// deleted, listed and, unless left out, watched.
type sampleAPI struct {
	one   ledger.Type
	blank bool // no resourceVersions
	verbs []string

	mu      sync.Mutex
	is      condition
	changed chan struct{} // closed, and replaced, with every change of what follows or of is
	version int
	objects map[string]*unstructured.Unstructured
	events  []sampleEvent
	watches int // that are open
}

type sampleEvent struct {
	Type   string                     `json:"type"`
	Object *unstructured.Unstructured `json:"object"`
}

// aggregate registers an API for the time of the scenario, and waits until it is
// served.
func (l *lab) aggregate(one ledger.Type, blank bool, verbs ...string) *sampleAPI {
	l.Helper()
	a := &sampleAPI{one: one, blank: blank, verbs: append(verbs, "get", "create", "patch", "delete"), changed: make(chan struct{}), objects: map[string]*unstructured.Unstructured{}}
	server := httptest.NewUnstartedServer(a)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	l.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	name, _, _ := strings.Cut(one.Resource.Group, ".")
	_, err := l.CoreV1().Services(l.namespace).Create(l.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
	}, metav1.CreateOptions{})
	l.must(err)
	registration, err := decode(fmt.Sprintf(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.%[1]s}
spec:
  group: %[1]s
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: %[2]s, namespace: %[3]s, port: %[4]d}`, one.Resource.Group, name, l.namespace, server.Listener.Addr().(*net.TCPAddr).Port))
	l.must(err)
	services := l.dynamic.Resource(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"})
	_, err = services.Create(l.Context(), registration, metav1.CreateOptions{})
	l.must(err)
	l.Cleanup(func() {
		if err := services.Delete(l.afterwards(), registration.GetName(), metav1.DeleteOptions{}); err != nil {
			l.Error(err)
		}
	})
	l.served(one)
	return a
}

func (a *sampleAPI) be(is condition) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.is = is
	a.wake()
}

// isWatched is an error while fewer than n watches are open.
func (a *sampleAPI) isWatched(n int) func() error {
	return func() error {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.watches < n {
			return fmt.Errorf("%d watches are open", a.watches)
		}
		return nil
	}
}

func (a *sampleAPI) wake() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// forget deletes some objects behind everybody's back.
func (a *sampleAPI) forget(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	names := []string{}
	for name := range a.objects {
		if name != goal {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names[:n] {
		a.remove(name)
	}
	a.wake()
}

func (a *sampleAPI) next(object *unstructured.Unstructured) {
	a.version++
	if !a.blank {
		object.SetResourceVersion(strconv.Itoa(a.version))
	}
}

func (a *sampleAPI) put(kind string, object *unstructured.Unstructured) *unstructured.Unstructured {
	a.next(object)
	a.objects[object.GetName()] = object
	a.events = append(a.events, sampleEvent{kind, object.DeepCopy()})
	return object
}

func (a *sampleAPI) remove(name string) {
	object := a.objects[name].DeepCopy()
	a.next(object)
	delete(a.objects, name)
	a.events = append(a.events, sampleEvent{"DELETED", object})
}

// ServeHTTP is the API's server.
func (a *sampleAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	is := a.is
	a.mu.Unlock()
	switch is {
	case unavailable:
		http.Error(w, "the lab is closed", http.StatusServiceUnavailable)
		return
	case stuck:
		<-r.Context().Done()
		return
	}
	version := a.one.Resource.GroupVersion().String()
	root := "/apis/" + version
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == root {
		write(w, metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: version,
			APIResources: []metav1.APIResource{{Name: "samples", SingularName: "sample", Kind: "Sample", Namespaced: true, Verbs: a.verbs}},
		})
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, root+"/"), "/") // namespaces, NAMESPACE, samples, NAME
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch {
	case len(parts) == 1 && parts[0] == "samples":
		a.list(w, labels.Everything())
	case len(parts) == 3 && r.Method == http.MethodPost:
		a.create(w, r, parts[1])
	case len(parts) == 3 && r.URL.Query().Get("watch") != "":
		a.watch(w, r, selector)
	case len(parts) == 3:
		a.list(w, selector)
	case len(parts) == 4:
		a.change(w, r, parts[3])
	default:
		http.NotFound(w, r)
	}
}

func (a *sampleAPI) create(w http.ResponseWriter, r *http.Request, namespace string) {
	object := &unstructured.Unstructured{}
	if err := json.NewDecoder(r.Body).Decode(&object.Object); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	object.SetNamespace(namespace)
	object.SetUID(uuid.NewUUID())
	object.SetCreationTimestamp(metav1.Now())
	a.mu.Lock()
	defer a.mu.Unlock()
	write(w, a.put("ADDED", object).Object)
	a.wake()
}

// change patches or deletes an object.
func (a *sampleAPI) change(w http.ResponseWriter, r *http.Request, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	object := a.objects[name]
	if object == nil {
		refuse(w, apierrors.NewNotFound(a.one.Resource.GroupResource(), name).ErrStatus)
		return
	}
	switch r.Method {
	case http.MethodPatch:
		object = object.DeepCopy()
		object.SetAnnotations(map[string]string{"changed": fmt.Sprint(a.version)})
		a.put("MODIFIED", object)
	case http.MethodDelete:
		a.remove(name)
	}
	write(w, object.Object)
	a.wake()
}

func (a *sampleAPI) list(w http.ResponseWriter, selector labels.Selector) {
	a.mu.Lock()
	defer a.mu.Unlock()
	items := []any{}
	for _, object := range a.objects {
		if selector.Matches(labels.Set(object.GetLabels())) {
			items = append(items, object.Object)
		}
	}
	meta := map[string]any{}
	if !a.blank {
		meta["resourceVersion"] = strconv.Itoa(a.version)
	}
	write(w, map[string]any{"apiVersion": a.one.Resource.GroupVersion().String(), "kind": "SampleList", "metadata": meta, "items": items})
}

// watch sends the events since a version as long as the API is healthy. Without a
// version it begins with what is there, as API servers do: there is no other way to
// learn what has changed between a list and its watch.
func (a *sampleAPI) watch(w http.ResponseWriter, r *http.Request, selector labels.Selector) {
	a.mu.Lock()
	sent := len(a.events)
	if since, err := strconv.Atoi(r.URL.Query().Get("resourceVersion")); err == nil && since > 0 {
		sent = min(since, len(a.events)) // every change has one event
	} else {
		for _, object := range a.objects {
			if selector.Matches(labels.Set(object.GetLabels())) {
				write(w, sampleEvent{"ADDED", object})
			}
		}
	}
	a.watches++
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.watches--
	}()
	w.(http.Flusher).Flush()
	for {
		a.mu.Lock()
		is, changed, events := a.is, a.changed, a.events[sent:]
		a.mu.Unlock()
		if is != healthy {
			return
		}
		for _, event := range events {
			if selector.Matches(labels.Set(event.Object.GetLabels())) {
				write(w, map[string]any{"type": event.Type, "object": event.Object.Object})
			}
		}
		sent += len(events)
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

func write(w http.ResponseWriter, value any) {
	_ = json.NewEncoder(w).Encode(value) // fails when the client has gone
}

func refuse(w http.ResponseWriter, status metav1.Status) {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	w.WriteHeader(int(status.Code))
	write(w, status)
}
