package client

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/decode"
)

// pagingServer has a list of two pages: the pod a, and the pods b and c.
type pagingServer struct {
	version string // the answer to /version; "" refuses it
	cells   string // the rows of the second page's Table without objects
	refuse  int    // the status with which that is refused instead
	// table and list are the metadata of that Table and of the second page's objects,
	// "" for those of one list.
	table, list string

	mu    sync.Mutex
	asked []string
}

const oneList = `{"resourceVersion":"7"}`

const alignedCells = `{"cells":["b",1],"object":null},{"cells":["c",2],"object":null}`

func (s *pagingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	second, include := query.Get("continue") != "", query.Get("includeObject")
	protobuf := strings.HasPrefix(r.Header.Get("Accept"), protobufType)
	s.note(fmt.Sprintf("%s continue=%v include=%q protobuf=%v", r.URL.Path[strings.LastIndex(r.URL.Path, "/"):], second, include, protobuf))
	switch {
	case strings.HasSuffix(r.URL.Path, "/version") && s.version == "":
		refuse(w, forbidden)
	case strings.HasSuffix(r.URL.Path, "/version"):
		answer(w, s.version)
	case include == "None" && s.refuse != 0:
		http.Error(w, "no", s.refuse)
	case include == "None":
		answer(w, strings.Replace(tableText(s.cells), oneList, cmp.Or(s.table, oneList), 1))
	case include != "" && second:
		answer(w, tableText(rowText("b")+","+rowText("c")))
	case include != "":
		answer(w, strings.Replace(tableText(rowText("a")), `{"resourceVersion"`, `{"continue":"next","resourceVersion"`, 1))
	case !second && protobuf && !strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadataList"):
		w.Header().Set("Content-Type", protobufType)
		_, _ = w.Write(podsInProtobuf("next", "a"))
	case !second:
		answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"next"},"items":[`+objectNamed("a")+`]}`)
	case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadataList"):
		answer(w, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":`+cmp.Or(s.list, oneList)+`,"items":[`+objectNamed("b")+`,`+objectNamed("c")+`]}`)
	case protobuf:
		w.Header().Set("Content-Type", protobufType)
		_, _ = w.Write(podsInProtobuf("", "b", "c"))
	default:
		answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[`+objectNamed("b")+`,`+objectNamed("c")+`]}`)
	}
}

func (s *pagingServer) note(request string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, request)
}

func podsInProtobuf(next string, names ...string) []byte {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: next}, Items: make([]corev1.Pod, len(names))}
	for i, name := range names {
		list.Items[i].Name, list.Items[i].Spec.NodeName = name, "node-"+name
	}
	message, _ := list.Marshal()
	return envelope("v1", "PodList", message)
}

func objectNamed(name string) string {
	return `{"metadata":{"name":"` + name + `"},"spec":{"nodeName":"node-` + name + `"}}`
}

func rowText(name string) string {
	return `{"cells":["` + name + `",7],"object":` + objectNamed(name) + `}`
}

func tableText(rows string) string {
	return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":` +
		twoColumns + `,"rows":[` + rows + `]}`
}

// bothPages lists both pages of a server.
func bothPages(t *testing.T, s *pagingServer, target cache.Target, r cache.Representation) []*cache.Row {
	t.Helper()
	return pagesOf(t, from(t, serve(t, s.ServeHTTP), target, r))
}

func pagesOf(t *testing.T, resource *listerWatcher) []*cache.Row {
	t.Helper()
	first := rowsOf(t, resource)
	if first.Continue != "next" {
		t.Fatalf("the first page goes on at %q", first.Continue)
	}
	second, err := resource.ListWithContext(t.Context(), metav1.ListOptions{Continue: first.Continue})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(first.Items, second.(*cache.RowList).Items)
}

const ours = `{"major":"1","minor":"37","gitVersion":"v1.37.4"}`

func TestPagesAfterTheFirstComeInTheirLeastForm(t *testing.T) {
	const (
		firstTable   = `/pods continue=false include="Metadata" protobuf=false`
		firstObjects = `/pods continue=false include="" protobuf=false`
		cells        = `/pods continue=true include="None" protobuf=false`
		inMetadata   = `/pods continue=true include="" protobuf=true`
		inProtobuf   = `/pods continue=true include="" protobuf=true`
		inJSON       = `/pods continue=true include="" protobuf=false`
		version      = `/version continue=false include="" protobuf=false`
		nextTable    = `/pods continue=true include="Metadata" protobuf=false`
	)
	for name, test := range map[string]struct {
		server *pagingServer
		rep    cache.Representation
		want   []string
	}{
		"cells and metadata apart":                {&pagingServer{cells: alignedCells}, cache.Cells, []string{firstTable, cells, inMetadata}},
		"the names are others":                    {&pagingServer{cells: strings.Replace(alignedCells, `"c"`, `"d"`, 1)}, cache.Cells, []string{firstTable, cells, inMetadata, nextTable}},
		"a row is missing":                        {&pagingServer{cells: `{"cells":["b",1]}`}, cache.Cells, []string{firstTable, cells, inMetadata, nextTable}},
		"a row has no cells":                      {&pagingServer{cells: `{"cells":["b",1]},{}`}, cache.Cells, []string{firstTable, cells, inMetadata, nextTable}},
		"the cells are of a later list":           {&pagingServer{cells: alignedCells, table: `{"resourceVersion":"8"}`}, cache.Cells, []string{firstTable, cells, inMetadata, nextTable}},
		"the cells go on elsewhere":               {&pagingServer{cells: alignedCells, table: `{"resourceVersion":"7","continue":"c"}`}, cache.Cells, []string{firstTable, cells, inMetadata, nextTable}},
		"nothing says that it is one list":        {&pagingServer{cells: alignedCells, table: `{}`, list: `{}`}, cache.Cells, []string{firstTable, cells, inMetadata, nextTable}},
		"the server refuses":                      {&pagingServer{refuse: http.StatusBadRequest}, cache.Cells, []string{firstTable, cells, nextTable}},
		"whole objects of our version":            {&pagingServer{version: ours}, cache.Whole, []string{firstObjects, version, inProtobuf}},
		"whole objects of a newer version":        {&pagingServer{version: `{"major":"1","minor":"38"}`}, cache.Whole, []string{firstObjects, version, inJSON}},
		"whole objects of an older version":       {&pagingServer{version: `{"major":"1","minor":"36+"}`}, cache.Whole, []string{firstObjects, version, inJSON}},
		"whole objects of an unknown version":     {&pagingServer{}, cache.Whole, []string{firstObjects, version, inJSON}},
		"whole objects of a version that is none": {&pagingServer{version: "<html>"}, cache.Whole, []string{firstObjects, version, inJSON}},
		"cells and whole objects": {&pagingServer{version: ours, cells: alignedCells}, cache.Cells | cache.Whole,
			[]string{strings.Replace(firstTable, "Metadata", "Object", 1), cells, version, inProtobuf}},
	} {
		t.Run(name, func(t *testing.T) {
			rows := bothPages(t, test.server, pods(), test.rep)
			if diff := gocmp.Diff(test.want, test.server.asked); diff != "" {
				t.Error(diff)
			}
			expectPodsABC(t, rows, test.rep)
		})
	}
}

func expectPodsABC(t *testing.T, rows []*cache.Row, rep cache.Representation) {
	t.Helper()
	for i, name := range []string{"a", "b", "c"} {
		row := rows[i]
		if row.Name != name || row.Kind != "Pod" || row.APIVersion != "v1" {
			t.Errorf("row %d is %s %s", i, row.TypeMeta, row.Name)
		}
		if rep.Has(cache.Cells) && (row.Cells[0] != name || row.Columns != rows[0].Columns || row.Columns == nil) {
			t.Errorf("%s has the cells %v under %v", name, row.Cells, row.Columns)
		}
		if rep.Has(cache.Whole) != (row.Body != nil) {
			t.Errorf("%s has the body %v", name, row.Body)
		}
		if rep.Has(cache.Whole) && body(t, row)["spec"].(map[string]any)["nodeName"] != "node-"+name {
			t.Errorf("%s is %v", name, body(t, row))
		}
	}
}

// A watch asks for the version anyway, and 500 objects in JSON cost the server as much as
// seven pages in protobuf.
func TestTheFirstPageBeforeAWatchIsInProtobufTooIfTheVersionIsOurs(t *testing.T) {
	const newer = `{"major":"1","minor":"38"}`
	widgets := pods()
	widgets.Kind = schema.GroupVersionKind{Group: "factory.example.com", Version: "v1", Kind: "Widget"}
	const version = `/version continue=false include="" protobuf=false`
	whole := func(protobuf bool) []string {
		return []string{fmt.Sprintf(`/pods continue=false include="" protobuf=%v`, protobuf), fmt.Sprintf(`/pods continue=true include="" protobuf=%v`, protobuf)}
	}
	for name, test := range map[string]struct {
		server *pagingServer
		target cache.Target
		rep    cache.Representation
		want   []string
	}{
		"our version":      {&pagingServer{version: ours}, pods(), cache.Whole, append([]string{version}, whole(true)...)},
		"a newer version":  {&pagingServer{version: newer}, pods(), cache.Whole, append([]string{version}, whole(false)...)},
		"no version":       {&pagingServer{}, pods(), cache.Whole, append([]string{version}, whole(false)...)},
		"custom resources": {&pagingServer{version: ours}, widgets, cache.Whole, whole(false)},
		"cells": {&pagingServer{version: ours, cells: alignedCells}, pods(), cache.Cells, []string{
			`/pods continue=false include="Metadata" protobuf=false`, `/pods continue=true include="None" protobuf=false`,
			`/pods continue=true include="" protobuf=true`}},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := connect(t, serve(t, test.server.ServeHTTP))
			resource, err := client.listerWatcher(test.target, test.rep, true)
			if err != nil {
				t.Fatal(err)
			}
			rows := pagesOf(t, resource)
			if diff := gocmp.Diff(test.want, test.server.asked); diff != "" {
				t.Error(diff)
			}
			if test.target.Kind == pods().Kind {
				expectPodsABC(t, rows, test.rep)
			}
		})
	}
}

func TestWhatCannotBeHadApartIsNotTriedAgain(t *testing.T) {
	server := &pagingServer{refuse: http.StatusNotAcceptable}
	resource := from(t, serve(t, server.ServeHTTP), pods(), cache.Cells)
	for range 2 {
		if _, err := resource.ListWithContext(t.Context(), metav1.ListOptions{Continue: "next"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(server.asked) != 3 {
		t.Errorf("asked %q", server.asked)
	}
}

func TestAFaultThatMayPassIsTheListsOwn(t *testing.T) {
	server := &pagingServer{refuse: http.StatusServiceUnavailable}
	resource := from(t, serve(t, server.ServeHTTP), pods(), cache.Cells)
	_, err := resource.ListWithContext(t.Context(), metav1.ListOptions{Continue: "next"})
	if err == nil || classify(err) != cache.Transient || len(server.asked) != 1 {
		t.Errorf("got %v after %q", err, server.asked)
	}
}

func TestTheServersVersionIsAskedForOnce(t *testing.T) {
	server := &pagingServer{version: ours}
	client, _ := connect(t, serve(t, server.ServeHTTP))
	for range 2 {
		resource, err := client.listerWatcher(pods(), cache.Whole, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := resource.ListWithContext(t.Context(), metav1.ListOptions{Continue: "next"}); err != nil {
			t.Fatal(err)
		}
	}
	asked := strings.Join(server.asked, "\n")
	if strings.Count(asked, "/version") != 1 || strings.Count(asked, "protobuf=true") != 2 {
		t.Errorf("asked %s", asked)
	}
}

func TestCustomResourcesDoNotCostAQuestionOfTheVersion(t *testing.T) {
	target := pods()
	target.Kind = schema.GroupVersionKind{Group: "factory.example.com", Version: "v1", Kind: "Widget"}
	target.Resource = target.Kind.GroupVersion().WithResource("widgets")
	server := &pagingServer{version: ours}
	bothPages(t, server, target, cache.Whole)
	if slices.ContainsFunc(server.asked, func(request string) bool { return strings.Contains(request, "version") }) {
		t.Errorf("asked %q", server.asked)
	}
}

// The server decodes and converts each custom resource for each request.
func TestAPageOfCustomResourcesIsOneRequest(t *testing.T) {
	target := pods()
	target.Kind = schema.GroupVersionKind{Group: "factory.example.com", Version: "v1", Kind: "Widget"}
	target.Resource = target.Kind.GroupVersion().WithResource("widgets")
	for rep, include := range map[cache.Representation]string{cache.Cells: "Metadata", cache.Cells | cache.Whole: "Object"} {
		server := &pagingServer{version: ours, cells: alignedCells}
		rows := bothPages(t, server, target, rep)
		want := []string{
			`/widgets continue=false include="` + include + `" protobuf=false`,
			`/widgets continue=true include="` + include + `" protobuf=false`,
		}
		if diff := gocmp.Diff(want, server.asked); diff != "" {
			t.Error(diff)
		}
		for i, name := range []string{"a", "b", "c"} {
			if row := rows[i]; row.Name != name || row.Kind != "Widget" || row.Cells[0] != name || rep.Has(cache.Whole) != (row.Body != nil) {
				t.Errorf("row %d is %+v", i, row)
			}
		}
	}
}

// Cells name the namespace in few types: there it must be the row's.
func TestCellsThatShowANamespaceAreOnlyJoinedToObjectsInIt(t *testing.T) {
	columns := &cache.Columns{{Name: "Name", Format: "name"}, {Name: "Namespace"}}
	for namespace, joined := range map[string]bool{"ns": true, "other": false} {
		row := &cache.Row{}
		row.Namespace, row.Name = "ns", "a"
		page := metav1.ListMeta{ResourceVersion: "7"}
		rows := &cache.RowList{ListMeta: page, Items: []*cache.Row{row}}
		cells := &cache.RowList{ListMeta: page, Items: []*cache.Row{{Columns: columns, Cells: []any{"a", namespace}}}}
		if decode.JoinCells(rows, cells) != joined || (rows.Items[0].Cells != nil) != joined {
			t.Errorf("%s: joined %v", namespace, rows.Items[0].Cells)
		}
	}
}

// watchOnePod watches a server with one pod, which speaks protobuf if it can.
func watchOnePod(t *testing.T, version string) (events []runtime.Object, accepted string) {
	t.Helper()
	pod := &corev1.Pod{}
	pod.Name, pod.Spec.NodeName = "a", "node-a"
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/version" {
			answer(w, version)
			return
		}
		accepted = r.Header.Get("Accept")
		if !strings.HasPrefix(accepted, protobufType) {
			sendWatch(w, r, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"nodeName":"node-a"}}}`)
			return
		}
		message, _ := pod.Marshal()
		event := &metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: envelope("v1", "Pod", message)}}
		raw, _ := event.Marshal()
		w.Header().Set("Content-Type", protobufType+";stream=watch")
		fmt.Fprintf(w, "%s%s", []byte{0, 0, byte(len(raw) >> 8), byte(len(raw))}, raw)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	_, events = eventsOf(t, from(t, config, pods(), cache.Whole), 1)
	return events, accepted
}

func TestAWatchIsInProtobufFromAServerOfOurVersionOnly(t *testing.T) {
	for version, want := range map[string]bool{ours: true, `{"major":"1","minor":"1"}`: false, "{}": false} {
		events, accepted := watchOnePod(t, version)
		if got := strings.Contains(accepted, protobufType); got != want {
			t.Errorf("%s: accepted %s", version, accepted)
		}
		object, err := events[0].(*cache.Row).Unstructured()
		if err != nil {
			t.Fatal(err)
		}
		if spec, _ := object.Object["spec"].(map[string]any); object.GetName() != "a" || object.GetKind() != "Pod" || spec["nodeName"] != "node-a" {
			t.Errorf("%s: got %v", version, object.Object)
		}
	}
}
