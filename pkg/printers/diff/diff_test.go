package diff_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

// states are two states of one object, in YAML, and what Between should say.
type states struct {
	old, now string
	options  diff.Options
	// want is the JSON of each change.
	want []string
}

func (s states) check(t *testing.T) {
	t.Helper()
	d, err := diff.Between(row(t, s.old), row(t, s.now), s.options)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, change := range d.Changes {
		got = append(got, toJSON(t, change))
		if member := toJSON(t, change.Object()); !sameJSON(t, member, toJSON(t, change)) {
			t.Errorf("as maps it is %s", member)
		}
	}
	if difference := cmp.Diff(s.want, got); difference != "" {
		t.Errorf("-want +got:\n%s", difference)
	}
}

func runAll(t *testing.T, tests map[string]states) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, test.check)
	}
}

// row makes a whole object's row of YAML or JSON.
func row(t testing.TB, text string) *cache.Row {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := kubejson.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	return rowOf(t, body)
}

func rowOf(t testing.TB, body map[string]any) *cache.Row {
	t.Helper()
	r := &cache.Row{Body: cache.MapBody(body)}
	r.APIVersion, _ = body["apiVersion"].(string)
	r.Kind, _ = body["kind"].(string)
	if metadata, ok := body["metadata"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(metadata, &r.ObjectMeta); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(kubejson.Unmarshal([]byte(a), &x), kubejson.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

func TestWhatChangedIsToldFieldByField(t *testing.T) {
	runAll(t, map[string]states{
		"nothing changed": {old: "spec: {replicas: 2}", now: "spec: {replicas: 2}"},
		"changes come in the order of their paths": {
			old:  "{spec: {b: 1, a: 1}, status: {c: x}}",
			now:  "{spec: {b: 2, a: 2}, status: {c: z}}",
			want: []string{`{"path":"spec.a","old":1,"new":2}`, `{"path":"spec.b","old":1,"new":2}`, `{"path":"status.c","old":"x","new":"z"}`},
		},
		"a missing field is not a null one": {
			old:  "spec: {gone: null, nulled: 1, kept: null}",
			now:  "spec: {nulled: null, kept: null, came: null}",
			want: []string{`{"path":"spec.came","new":null}`, `{"path":"spec.gone","old":null}`, `{"path":"spec.nulled","old":1,"new":null}`},
		},
		"the first label is told as the second is": {
			old:  "metadata: {name: a}",
			now:  "metadata: {name: a, labels: {app: web}}",
			want: []string{`{"path":"metadata.labels.app","new":"web"}`},
		},
		"the last label is told as the others were": {
			old:  "metadata: {labels: {app: web}}",
			now:  "metadata: {name: a}",
			want: []string{`{"path":"metadata.labels.app","old":"web"}`, `{"path":"metadata.name","new":"a"}`},
		},
		"an empty map is something": {
			old:  "spec: {}",
			now:  "spec: {emptyDir: {}, list: []}",
			want: []string{`{"path":"spec.emptyDir","new":{}}`, `{"path":"spec.list","new":[]}`},
		},
		"an empty map that goes": {
			old:  "spec: {emptyDir: {}, list: []}",
			now:  "spec: {}",
			want: []string{`{"path":"spec.emptyDir","old":{}}`, `{"path":"spec.list","old":[]}`},
		},
		"a map that becomes text changes as a whole": {
			old:  "spec: {x: {a: 1}}",
			now:  "spec: {x: a}",
			want: []string{`{"path":"spec.x","old":{"a":1},"new":"a"}`},
		},
		"a null that becomes a map changes as a whole": {
			old:  "spec: {x: null}",
			now:  "spec: {x: {a: 1}}",
			want: []string{`{"path":"spec.x","old":null,"new":{"a":1}}`},
		},
		"a list of scalars changes as a whole": {
			old:  "metadata: {finalizers: [a.io/x]}",
			now:  "metadata: {finalizers: [a.io/x, b.io/y]}",
			want: []string{`{"path":"metadata.finalizers","old":["a.io/x"],"new":["a.io/x","b.io/y"]}`},
		},
		"the order of scalars counts": {
			old:  "spec: {args: [a, b]}",
			now:  "spec: {args: [b, a]}",
			want: []string{`{"path":"spec.args","old":["a","b"],"new":["b","a"]}`},
		},
		"lists of lists change as a whole": {
			old:  "spec: {rows: [[1], [2]]}",
			now:  "spec: {rows: [[1], [3]]}",
			want: []string{`{"path":"spec.rows","old":[[1],[2]],"new":[[1],[3]]}`},
		},
	})
}

// kubernetes/kubernetes#17095
func TestNumbersAreNotRounded(t *testing.T) {
	runAll(t, map[string]states{
		"neighbours above 2^53 differ": {
			old:  "spec: {i: 9007199254740992}",
			now:  "spec: {i: 9007199254740993}",
			want: []string{`{"path":"spec.i","old":9007199254740992,"new":9007199254740993}`},
		},
		"big integers have no exponent": {
			old:  "spec: {i: 1000000}",
			now:  "spec: {i: 10000000}",
			want: []string{`{"path":"spec.i","old":1000000,"new":10000000}`},
		},
		"quantities are text": {
			old:  `spec: {cpu: "1"}`,
			now:  "spec: {cpu: 1000m}",
			want: []string{`{"path":"spec.cpu","old":"1","new":"1000m"}`},
		},
		"a number is not its text": {
			old:  "spec: {i: 1}",
			now:  `spec: {i: "1"}`,
			want: []string{`{"path":"spec.i","old":1,"new":"1"}`},
		},
	})
}

// kubernetes/kubernetes PR#133565
func TestAnObjectRecreatedUnderItsNameIsCalledReplaced(t *testing.T) {
	old := row(t, "metadata: {name: a, uid: u1}")
	for name, test := range map[string]struct {
		now      string
		replaced bool
	}{
		"same uid":    {"metadata: {name: a, uid: u1, labels: {x: z}}", false},
		"another uid": {"metadata: {name: a, uid: u2}", true},
		"no uid":      {"metadata: {name: a}", false},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := diff.Between(old, row(t, test.now), diff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Contains(strings.Join(d.Lines(), "\n"), "replaced")
			if d.Replaced != test.replaced || said != test.replaced || d.Empty() {
				t.Errorf("got %+v, lines %q", d, d.Lines())
			}
		})
	}
}

func TestRowsWithoutBodiesDifferInTheirMetadata(t *testing.T) {
	old, now := row(t, "metadata: {name: a, labels: {x: one}}\nspec: {i: 1}"), row(t, "metadata: {name: a, labels: {x: two}}\nspec: {i: 2}")
	for name, dropBodies := range map[string]func(){
		"neither has one": func() { old.Body, now.Body = nil, nil },
		"one has none":    func() { old.Body = nil },
	} {
		t.Run(name, func(t *testing.T) {
			bodies := [2]cache.Body{old.Body, now.Body}
			defer func() { old.Body, now.Body = bodies[0], bodies[1] }()
			dropBodies()
			d, err := diff.Between(old, now, diff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(d.Lines(), "\n"); got != "metadata.labels.x: one → two" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestNothingToCompareIsNoChange(t *testing.T) {
	r := row(t, "metadata: {name: a}")
	for name, pair := range map[string][2]*cache.Row{"added": {nil, r}, "deleted": {r, nil}, "same row": {r, r}} {
		if d, err := diff.Between(pair[0], pair[1], diff.Options{AllChanges: true}); err != nil || !d.Empty() {
			t.Errorf("%s: got %+v, %v", name, d, err)
		}
	}
}

var errBroken = errors.New("broken bytes")

type brokenBody struct{}

func (brokenBody) Unstructured() (*unstructured.Unstructured, error) { return nil, errBroken }

func TestABodyThatCannotBeReadIsAnErrorThatNamesTheObject(t *testing.T) {
	good := row(t, "{kind: Widget, metadata: {name: w1}}")
	bad := row(t, "{kind: Widget, metadata: {name: w1}}")
	bad.Body = brokenBody{}
	for _, pair := range [][2]*cache.Row{{good, bad}, {bad, good}} {
		_, err := diff.Between(pair[0], pair[1], diff.Options{})
		if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), `Widget "w1"`) {
			t.Errorf("got %v", err)
		}
	}
}

func TestOldAndNewStatesAreNotChanged(t *testing.T) {
	const old = "{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {control-plane.alpha.kubernetes.io/leader: '{\"renewTime\":\"1\"}'}}, data: {a: eA==}}"
	const now = "{apiVersion: v1, kind: Secret, metadata: {name: s, labels: {x: z}}, data: {a: eQ==}}"
	a, b := row(t, old), row(t, now)
	if _, err := diff.Between(a, b, diff.Options{}); err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(a.Body, row(t, old).Body) || !cmp.Equal(b.Body, row(t, now).Body) {
		t.Errorf("bodies were changed: %v, %v", a.Body, b.Body)
	}
}
