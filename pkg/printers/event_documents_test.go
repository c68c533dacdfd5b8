package printers

import (
	"errors"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubectl/pkg/cmd/get"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestAJSONEventIsOneLineAndSaysOnlyWhatThereIsToSay(t *testing.T) {
	nodes := shop().typed("nodes")
	object := `{"apiVersion":"v1","kind":"Node","metadata":{"creationTimestamp":"2020-01-02T03:04:05Z","name":"node-1"},"spec":{"size":"1Gi"}}`
	tombstone, left := event(cache.Deleted, nodes, 0), event(cache.Deleted, nodes, 0)
	tombstone.FinalStateUnknown = true
	left.Reason = cache.NoLongerMatches
	events := append(life(nodes, 0), tombstone, left, synced(nodes))
	for _, format := range []string{"json", "jsonl"} {
		same(t, strings.Join([]string{
			`{"type":"ADDED","object":` + object + `,"initial":true}`,
			`{"type":"MODIFIED","object":` + object + `}`,
			`{"type":"RESYNC","object":` + object + `}`,
			`{"type":"DELETED","object":` + object + `}`,
			`{"type":"DELETED","object":` + object + `,"finalStateUnknown":true}`,
			`{"type":"DELETED","object":` + object + `,"reason":"NoLongerMatches"}`,
			`{"type":"SYNCED","apiVersion":"v1","kind":"Node","namespace":"prod"}`,
		}, "\n")+"\n", strings.Join(tail(t, EventOptions{}, events, "-o", format), ""))
	}
	same(t, `{"type":"MODIFIED","object":`+object+`,"oldObject":`+object+`,"time":"2020-01-02T03:05:35Z"}`+"\n",
		tail(t, EventOptions{}, events, "-o", "json", "--timestamps", "--old")[1])
}

// kubectl keeps managedFields in what it prints of an event, although it drops
// them from objects; we drop them from both, unless they are asked for.
func TestAJSONEventIsWhatKubectlPrintsAndMore(t *testing.T) {
	pods := shop().typed("pods")
	for _, e := range []cache.Event{event(cache.Added, pods, 0), event(cache.Deleted, pods, 1)} {
		object, err := e.Row.Unstructured()
		if err != nil {
			t.Fatal(err)
		}
		kubectl := get.NewGetPrintFlags()
		*kubectl.OutputFormat = "json"
		printer, err := kubectl.ToPrinter()
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		if err := printer.PrintObj(&metav1.WatchEvent{Type: string(e.Type), Object: runtime.RawExtension{Object: object}}, &want); err != nil {
			t.Fatal(err)
		}
		same(t, want.String(), tail(t, EventOptions{}, []cache.Event{e}, "-o", "json", "--show-managed-fields")[0])

		const managed = `"managedFields":[{"manager":"kubelet","operation":"Update"}],`
		if !strings.Contains(want.String(), managed) {
			t.Errorf("kubectl drops managedFields from events now: %s", want.String())
		}
		same(t, strings.Replace(want.String(), managed, "", 1), tail(t, EventOptions{}, []cache.Event{e}, "-o", "json")[0])
	}
}

// kubernetes/kubernetes#117075
func TestEachYAMLEventIsClosedAndReadsBack(t *testing.T) {
	pods := shop().typed("pods")
	pods.objects[0].metadata()["annotations"] = map[string]any{"controls": "\x7f\u0085\u009b"}
	for _, format := range []string{"yaml", "kyaml"} {
		out := tail(t, EventOptions{}, append(life(pods, 0), synced(pods)), "-o", format, "--old")
		if len(out) != 5 {
			t.Fatalf("-o %s: %d writes", format, len(out))
		}
		for i, document := range out {
			if !strings.HasSuffix(document, "\n---\n") || strings.Count(document, "---\n") != 1 {
				t.Errorf("-o %s: not closed, or more than once:\n%s", format, document)
			}
			var got struct {
				Type   string
				Object *struct {
					Metadata metav1.ObjectMeta
					Spec     struct{ Priority int64 }
				}
			}
			if err := yaml.Unmarshal([]byte(strings.TrimSuffix(document, "---\n")), &got); err != nil {
				t.Fatalf("-o %s: %v\n%s", format, err, document)
			}
			if want := append(life(pods, 0), synced(pods))[i].Type; got.Type != string(want) {
				t.Errorf("-o %s: got %s, want %s", format, got.Type, want)
			}
			if got.Object != nil && (got.Object.Spec.Priority != maxExact || got.Object.Metadata.Annotations["controls"] != "\x7f\u0085\u009b") {
				t.Errorf("-o %s: changed on the way: %+v", format, got.Object)
			}
		}
	}
}

func TestATemplateEndsItsLineOnce(t *testing.T) {
	nodes := shop().typed("nodes")
	for format, want := range map[string]string{
		"jsonpath={.type}":                                         "ADDED\n",
		`jsonpath={.type}{"\n"}`:                                   "ADDED\n",
		`jsonpath={.type}{"\n\n"}`:                                 "ADDED\n\n",
		"jsonpath={.object.spec.no}":                               "\n",
		"go-template={{.type}}\n":                                  "ADDED\n",
		`go-template={{if eq .type "DELETED"}}gone{{"\n"}}{{end}}`: "",
		`go-template={{if eq .type "DELETED"}}gone{{end}}`:         "\n",
	} {
		same(t, want, strings.Join(tail(t, EventOptions{}, []cache.Event{event(cache.Added, nodes, 0)}, "-o", format), ""))
	}
}

// kubernetes/kubernetes#37991
func TestOneBadObjectDoesNotEndTheStream(t *testing.T) {
	nodes := shop().typed("nodes")
	nodes.objects[0].body["spec"] = map[string]any{"list": []any{}, "nulls": []any{nil}}
	nodes.objects[1].body["spec"] = map[string]any{"list": []any{"a", "b"}, "nulls": []any{[]any{"x"}}, "key": "k"}
	events := []cache.Event{event(cache.Added, nodes, 0), event(cache.Added, nodes, 1)}
	for _, c := range []struct {
		flags []string
		err   string
		want  string
	}{
		{[]string{"-o", "jsonpath={.object.spec.list[1]}"}, `error executing jsonpath "{.object.spec.list[1]}": array index out of bounds`, "b\n"},
		{[]string{"-o", "jsonpath={.object.spec.key}", "--allow-missing-template-keys=false"}, `key is not found`, "k\n"},
		{[]string{"-o", "go-template={{.object.spec.key}}", "--allow-missing-template-keys=false"}, `map has no entry for key "key"`, "k\n"},
		{[]string{"-o", "jsonpath={range .object.spec.nulls[*]}{[0]}{end}b"}, "reflect", "xb\n"}, // the engine panics
		{[]string{"-o", "go-template={{index .object.spec.list 1}}"}, "index out of range", "b\n"},
	} {
		var out writes
		printer, err := mustParse(t, c.flags...).NewEventPrinter(&out, EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var bad *ObjectError
		if err := printer.Print(events[0]); !errors.As(err, &bad) || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: got %v", c.flags, err)
		} else if bad.Event.Row.Name != "node-1" || !strings.HasPrefix(err.Error(), `ADDED of Node "node-1": `) || strings.Contains(err.Error(), "2020") {
			t.Errorf("%q: the error should name the object and not hold it: %v", c.flags, err)
		}
		if err := printer.Print(events[1]); err != nil {
			t.Errorf("%q: %v", c.flags, err)
		}
		same(t, c.want, strings.Join(out, ""))
		if err := printer.Print(events...); !errors.As(err, &bad) {
			t.Errorf("%q: together: got %v", c.flags, err)
		}
		same(t, c.want+c.want, strings.Join(out, ""))
	}
	same(t, "EVENT      A\nADDED      <none>\nADDED      b\n",
		strings.Join(tail(t, EventOptions{}, events, "-o", "custom-columns=A:.spec.list[1]"), ""))
}

func TestAnUnreadableObjectIsReportedAndLeftOut(t *testing.T) {
	nodes := shop().typed("nodes")
	broken, syncedEvent := event(cache.Added, nodes, 0), synced(nodes)
	broken.Row.Body = brokenBody{}
	for _, format := range []string{"json", "yaml", "custom-columns=A:.x", "jsonpath={.type}"} {
		var out writes
		printer, err := mustParse(t, "-o", format, "--old").NewEventPrinter(&out, EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		modified := event(cache.Modified, nodes, 0)
		modified.Old = broken.Row
		for _, e := range []cache.Event{broken, modified} {
			if strings.HasPrefix(format, "custom") && e.Old != nil {
				continue // sees no old object
			}
			if err := printer.Print(e); !errors.Is(err, errGarbled) {
				t.Errorf("-o %s: got %v", format, err)
			}
		}
		if len(out) != 0 {
			t.Errorf("-o %s: half an event was printed: %q", format, out)
		}
	}
	if got := (&ObjectError{Event: syncedEvent, Err: errGarbled}).Error(); got != `SYNCED of nodes in namespace "prod": garbled` {
		t.Errorf("got %s", got)
	}
}

// Who waits for the first objects of many need not wait until all are laid out.
func TestManyDocumentsAreWrittenAsTheyAreLaidOutAndEachAtOnce(t *testing.T) {
	pods := crowd(100).typed("pods")
	var events []cache.Event
	for i := range pods.objects {
		fatten(pods.objects[i])
		events = append(events, event(cache.Added, pods, i))
	}
	for _, format := range []string{"json", "yaml", "jsonpath={.object}"} {
		single := tail(t, EventOptions{}, events, "-o", format)
		longest := len(slices.MaxFunc(single, func(a, b string) int { return len(a) - len(b) }))
		var out writes
		printer, err := mustParse(t, "-o", format).NewEventPrinter(&out, EventOptions{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if err := printer.Print(events...); err != nil {
			t.Fatal(err)
		}
		same(t, strings.Join(single, ""), strings.Join(out, ""))
		if len(out) < 2 {
			t.Errorf("%s: %d writes", format, len(out))
		}
		whole := 0
		for _, text := range out {
			if len(text) >= enough+longest {
				t.Errorf("%s: %d bytes in one write", format, len(text))
			}
			for whole < len(single) && strings.HasPrefix(text, single[whole]) {
				text = text[len(single[whole]):]
				whole++
			}
			if text != "" {
				t.Errorf("%s: a write ends within a document: %s", format, text)
			}
		}
	}
}
