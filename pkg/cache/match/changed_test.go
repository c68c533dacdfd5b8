package match_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

func TestOnlyAChangeAtThePathIsAChange(t *testing.T) {
	for name, test := range map[string]struct {
		paths    []string
		old, now string
		want     bool
	}{
		"the value":                      {[]string{"spec.replicas"}, `spec: {replicas: 1}`, `spec: {replicas: 2}`, true},
		"another value":                  {[]string{"{.spec.replicas}"}, `spec: {replicas: 1, paused: true}`, `spec: {replicas: 1}`, false},
		"a value that comes":             {[]string{".spec.replicas"}, `spec: {}`, `spec: {replicas: 0}`, true},
		"a value that goes":              {[]string{".spec.replicas"}, `spec: {replicas: 0}`, `{}`, true},
		"null is not nothing":            {[]string{".spec.replicas"}, `spec: {replicas: null}`, `spec: {}`, true},
		"nothing on both sides":          {[]string{".spec.replicas"}, `spec: {}`, `status: {}`, false},
		"beyond a float":                 {[]string{".spec.count"}, `spec: {count: 9007199254740992}`, `spec: {count: 9007199254740993}`, true},
		"a type":                         {[]string{".spec.count"}, `spec: {count: 1}`, `spec: {count: "1"}`, true},
		"a tree":                         {[]string{".spec"}, `spec: {a: {b: [1]}}`, `spec: {a: {b: [2]}}`, true},
		"the same tree in another order": {[]string{".spec"}, `spec: {a: 1, b: 2}`, `spec: {b: 2, a: 1}`, false},
		"one of the list":                {[]string{"spec.c[*].image"}, `spec: {c: [{image: a}, {image: b}]}`, `spec: {c: [{image: a}, {image: c}]}`, true},
		"another field of the list":      {[]string{"spec.c[*].image"}, `spec: {c: [{image: a}]}`, `spec: {c: [{image: a, name: x}]}`, false},
		"a longer list":                  {[]string{"spec.c[*].image"}, `spec: {c: [{image: a}]}`, `spec: {c: [{image: a}, {image: a}]}`, true},
		"an index that comes":            {[]string{"spec.c[0]"}, `spec: {c: []}`, `spec: {c: [1]}`, true},
		"no index on both sides":         {[]string{"spec.c[0]"}, `spec: {c: []}`, `spec: {}`, false},
		"a filter": {[]string{`status.conditions[?(@.type=="Ready")].status`},
			`status: {conditions: [{type: Ready, status: "False"}]}`, `status: {conditions: [{type: A}, {type: Ready, status: "True"}]}`, true},
		"an escaped dot":  {[]string{`metadata.annotations.a\.b/c`}, `metadata: {annotations: {a.b/c: x}}`, `metadata: {annotations: {a.b/c: y}}`, true},
		"any of several":  {[]string{"spec.a", "spec.b"}, `spec: {a: 1, b: 1}`, `spec: {a: 1, b: 2}`, true},
		"none of several": {[]string{"spec.a", "spec.b"}, `spec: {c: 1}`, `spec: {c: 2}`, false},
		"no path":         {nil, `spec: {c: 1}`, `spec: {c: 2}`, false},
		"anywhere":        {[]string{"..image"}, `spec: {a: {image: x}, b: {image: y}}`, `spec: {a: {image: x}, b: {image: z}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			changed, err := match.ParseChanged(test.paths...)
			if err != nil {
				t.Fatal(err)
			}
			if got := changed.Between(rowOf(t, test.old), rowOf(t, test.now)); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestTheFieldsOfAPathAreThoseThatItSpellsOut(t *testing.T) {
	changed, err := match.ParseChanged("spec.renewTime", `status.conditions[?(@.type=="Ready")].lastHeartbeatTime`,
		`metadata.annotations.a\.b/c`, "metadata.*", "..generation")
	if err != nil {
		t.Fatal(err)
	}
	want := "spec renewTime status conditions lastHeartbeatTime metadata annotations a.b/c metadata generation"
	if got := strings.Join(changed.Fields(), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A map is read in another order each time: often enough to be seen here.
func TestTheOrderOfAMapIsNoChange(t *testing.T) {
	object := `metadata: {labels: {a: "1", b: "2", c: "3", d: "4", e: "5"}}`
	for _, path := range []string{"metadata.labels.*", ".metadata..", "..labels.*"} {
		changed, err := match.ParseChanged(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if changed.Between(rowOf(t, object), rowOf(t, object)) {
				t.Fatalf("%s: an unchanged object is told", path)
			}
		}
	}
}

func TestWhatIsNotAnUpdateIsNoChange(t *testing.T) {
	changed, err := match.ParseChanged("spec.a")
	if err != nil {
		t.Fatal(err)
	}
	if changed.Between(nil, rowOf(t, `spec: {a: 1}`)) {
		t.Error("an added object is no update")
	}
}

func TestAnUpdateThatCannotBeReadIsTold(t *testing.T) {
	changed, err := match.ParseChanged("spec.a")
	if err != nil {
		t.Fatal(err)
	}
	torn := &cache.Row{Body: hookedBody{onRead: func() {}, err: errors.New("torn")}}
	if whole := rowOf(t, `spec: {a: 1}`); !changed.Between(torn, whole) || !changed.Between(whole, torn) {
		t.Error("hidden")
	}
}

func TestAPathThatIsNoneIsRefused(t *testing.T) {
	for path, want := range map[string]string{
		"":              "--changed : jsonpath expression cannot be empty",
		"{.a}{.b}":      "--changed {.a}{.b}: unexpected path string",
		".a[":           "--changed .a[: unterminated array",
		`.a[?(@.b=="x"`: "unterminated filter",
		".items range":  "unrecognized identifier range",
		".a[?(end)]":    "unrecognized identifier end",
		".a[0,b]":       "invalid array index b",
	} {
		t.Run(path, func(t *testing.T) {
			_, err := match.ParseChanged("spec.fine", path)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
