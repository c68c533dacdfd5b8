package match_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

const webPod = `
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: shop
  labels: {app: web, tier.example.com/name: front}
  creationTimestamp: "2024-05-01T10:00:00Z"
spec:
  nodeName: node-1
  priority: 9007199254740993
  containers:
  - {name: app, image: "nginx:1.27.1", resources: {requests: {cpu: 1500m, memory: 1Gi}}}
  - {name: log, image: "busybox:1.36"}
status:
  phase: Running
  podIP: 10.1.2.3
  share: 0.5
  nothing: null
  conditions: [{type: Ready, status: "True"}]
`

func TestWhereKnowsFieldsAndLibraries(t *testing.T) {
	row := rowOf(t, webPod)
	for expression, want := range map[string]bool{
		`object.metadata.name == "web-1"`:                                                         true,
		`object.metadata.namespace == "shop"`:                                                     true,
		`object.kind == "Pod" && object.apiVersion == "v1"`:                                       true,
		`object.metadata.labels["tier.example.com/name"] == "front"`:                              true,
		`has(object.metadata.labels) && !has(object.metadata.annotations)`:                        true,
		`has(object.status.nothing) && object.status.nothing == null`:                             true,
		`object.metadata.?annotations["x"].orValue("none") == "none"`:                             true,
		`object.spec.containers.exists(c, c.image.startsWith("busybox"))`:                         true,
		`object.spec.containers.all(c, has(c.resources))`:                                         false,
		`object.spec.containers.map(c, c.name) == ["app", "log"]`:                                 true,
		`object.spec.containers[0].name in ["app"]`:                                               true,
		`size(object.spec.containers) == 2`:                                                       true,
		`object.status.share == 0.5 && object.status.share < 1`:                                   true,
		`quantity(object.spec.containers[0].resources.requests.cpu).isGreaterThan(quantity("1"))`: true,
		`object.spec.containers[0].image.find("[0-9.]+$") == "1.27.1"`:                            true,
		`object.spec.containers[0].image.matches("^nginx:")`:                                      true,
		`cidr("10.1.0.0/16").containsIP(object.status.podIP)`:                                     true,
		`ip(object.status.podIP).family() == 4`:                                                   true,
		`url("https://example.com/a").getHost() == "example.com"`:                                 true,
		`semver(object.spec.containers[0].image.split(":")[1]).isLessThan(semver("2.0.0"))`:       true,
		`sets.contains(["web", "db"], [object.metadata.labels.app])`:                              true,
		`object.metadata.labels.exists(k, v, k == "app" && v == "web")`:                           true,
		`[3, 1, 2].sort() == [1, 2, 3] && [1, 2].sum() == 3`:                                      true,
		`!format.dns1123Label().validate(object.metadata.name).hasValue()`:                        true,
		`"%s on %s".format([object.metadata.name, object.spec.nodeName]) == "web-1 on node-1"`:    true,
		`timestamp(object.metadata.creationTimestamp) < timestamp("2024-06-01T00:00:00Z")`:        true,
		`oldObject == null`:   true,
		`object.status.phase`: false,
	} {
		t.Run(expression, func(t *testing.T) {
			got, _, err := mustCompile(t, expression).Eval(t.Context(), time.Now(), row, nil)
			if err != nil || got != want {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
		})
	}
}

func TestIntegersBeyondFloatsAreNotRounded(t *testing.T) {
	row := rowOf(t, webPod)
	for expression, want := range map[string]bool{
		`object.spec.priority == 9007199254740993`:           true,
		`object.spec.priority == 9007199254740992`:           false,
		`object.spec.priority - 9007199254740992 == 1`:       true,
		`string(object.spec.priority) == "9007199254740993"`: true,
		`type(object.spec.priority) == int`:                  true,
		`object.spec.priority > 9007199254740992`:            true,
		`object.spec.priority in [9007199254740992]`:         false,
		`object.spec.priority + 9223372036854775807 > 0`:     false, // overflows: a miss
		`9223372036854775807 - object.spec.priority > 0`:     true,
	} {
		t.Run(expression, func(t *testing.T) {
			got, _, err := mustCompile(t, expression).Eval(t.Context(), time.Now(), row, nil)
			if err != nil || got != want {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
		})
	}
}

func TestACompileErrorPointsAtItsColumn(t *testing.T) {
	for expression, want := range map[string]string{
		`object.`: "--where: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n" +
			" | object.\n" +
			" | .......^",
		`object.spec.x == 1 && obj.y`: "--where: ERROR: <input>:1:23: undeclared reference to 'obj' (in container '')\n" +
			" | object.spec.x == 1 && obj.y\n" +
			" | ......................^",
		// Two faults: the first is told, not the last.
		`a && b`: "--where: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n" +
			" | a && b\n" +
			" | ^",
		`1 + size(object.x)`: "--where: ERROR: <input>:1:3: must be bool, but is int\n" +
			" | 1 + size(object.x)\n" +
			" | ..^",
		`object.x.matches("(")`: "--where: ERROR: <input>:1:18: invalid matches argument\n" +
			" | object.x.matches(\"(\")\n" +
			" | .................^",
	} {
		t.Run(expression, func(t *testing.T) {
			_, err := match.DefaultCostLimit.Compile(match.ObjectAndOld, "true", expression)
			if err == nil || err.Error() != want {
				t.Errorf("got\n%v\nwant\n%s", err, want)
			}
		})
	}
}

func TestOldObjectIsUnknownWhereNothingChanges(t *testing.T) {
	_, err := match.DefaultCostLimit.Compile(match.ObjectOnly, `oldObject == null`)
	if err == nil || !strings.Contains(err.Error(), "undeclared reference to 'oldObject'") ||
		!strings.Contains(err.Error(), "\noldObject is known where objects change: in --where of tail ") {
		t.Errorf("got %v", err)
	}
	_, err = match.DefaultCostLimit.Compile(match.ObjectOnly, `nothing == 1 && oldObject == null`)
	if err == nil || strings.Contains(err.Error(), "where objects change") {
		t.Errorf("with another fault: got %v", err)
	}
}

func TestAFieldOfAnAbsentOldStateIsNoMiss(t *testing.T) {
	running := pod(t, "a", `status: {phase: Running}`)
	for expression, misses := range map[string]int{
		`object.status.phase != oldObject.status.phase`: 0,
		`object.status.nope != oldObject.status.nope`:   1, // that of the update
		`object.status.nope == "x"`:                     2,
	} {
		where := mustCompile(t, expression)
		for _, old := range []*cache.Row{nil, pod(t, "a", `status: {phase: Pending}`)} {
			if _, _, err := where.Eval(t.Context(), time.Now(), running, old); err != nil {
				t.Fatal(err)
			}
		}
		if count, first := where.Misses(); count != misses {
			t.Errorf("%s: %d misses, want %d; the first: %s", expression, count, misses, first)
		}
	}
}

func TestTheOldStateIsSeen(t *testing.T) {
	where := mustCompile(t, `oldObject != null && oldObject.status.phase != object.status.phase`)
	pending, running := pod(t, "a", `status: {phase: Pending}`), pod(t, "a", `status: {phase: Running}`)
	for name, test := range map[string]struct {
		now, old *cache.Row
		want     bool
	}{
		"added":     {running, nil, false},
		"changed":   {running, pending, true},
		"unchanged": {running, running, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := where.Eval(t.Context(), time.Now(), test.now, test.old)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	if !where.ReadsOld() || mustCompile(t, `object.spec.x == 1`).ReadsOld() {
		t.Error("only the first expression is about a change")
	}
}

func TestSeveralExpressionsAllHaveToHold(t *testing.T) {
	row := rowOf(t, webPod)
	for _, test := range []struct {
		expressions []string
		want        bool
	}{
		{nil, true},
		{[]string{"true", "true"}, true},
		{[]string{"true", "false"}, false},
		{[]string{"false", "object.nothing.at.all"}, false},
	} {
		where := mustCompile(t, test.expressions...)
		got, _, err := where.Eval(t.Context(), time.Now(), row, nil)
		if err != nil || got != test.want {
			t.Errorf("%q: got %v, %v", test.expressions, got, err)
		}
		if count, _ := where.Misses(); count != 0 {
			t.Errorf("%q: asked on after the answer was no", test.expressions)
		}
	}
}

// A field that some objects lack must not stop the others: kubernetes/kubernetes#37991.
func TestAMissingFieldIsNoMatchAndToldOnce(t *testing.T) {
	where := mustCompile(t, `object.spec.nodeName == "node-1"`)
	for _, test := range []struct {
		row  *cache.Row
		want bool
	}{
		{pod(t, "pending-1", `spec: {}`), false},
		{pod(t, "web-1", `spec: {nodeName: node-1}`), true},
		{pod(t, "odd", `spec: [1]`), false},
		{pod(t, "none", ``), false},
	} {
		got, _, err := where.Eval(t.Context(), time.Now(), test.row, nil)
		if err != nil || got != test.want {
			t.Errorf("%s: got %v, %v", test.row.Name, got, err)
		}
	}
	count, first := where.Misses()
	if want := `pod/pending-1 in namespace "shop": no such key: nodeName`; count != 3 || first != want {
		t.Errorf("got %d, %q; want 3, %q", count, first, want)
	}
}

func TestWhatIsToldOfAMissCannotDriveATerminal(t *testing.T) {
	where := mustCompile(t, `quantity(object.spec.size).isGreaterThan(quantity("1"))`)
	row := pod(t, "a", `spec: {size: "1\u001b[2J\r\n`+strings.Repeat("x", 1000)+`"}`)
	if got, _, err := where.Eval(t.Context(), time.Now(), row, nil); got || err != nil {
		t.Fatalf("got %v, %v", got, err)
	}
	_, first := where.Misses()
	if strings.ContainsAny(first, "\x1b\r\n") || len(first) > 300 || first == "" {
		t.Errorf("got %q", first)
	}
}

func TestABodyThatCannotBeReadIsAMiss(t *testing.T) {
	row := metadataRow("torn")
	row.Body = hookedBody{onRead: func() {}, err: errors.New("unexpected end of JSON")}
	where := mustCompile(t, `true`)
	if got, _, err := where.Eval(t.Context(), time.Now(), row, nil); got || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if count, first := where.Misses(); count != 1 || !strings.HasSuffix(first, "unexpected end of JSON") {
		t.Errorf("got %d, %q", count, first)
	}
}

func TestMissesAreCountedByManyAtOnce(t *testing.T) {
	where := mustCompile(t, `object.spec.missing`)
	row := rowOf(t, webPod)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if _, _, err := where.Eval(context.Background(), time.Now(), row, row); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if count, _ := where.Misses(); count != 400 {
		t.Errorf("got %d misses of 400", count)
	}
}

func TestEvaluationLeavesTheObjectAlone(t *testing.T) {
	row := rowOf(t, webPod)
	object, err := row.Unstructured()
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.DeepCopyJSON(object.Object)
	where := mustCompile(t, `object.spec.containers.map(c, c.name).sortBy(n, n).size() == 2 && object.metadata.labels.transformMap(k, v, v + "x").size() == 2`)
	if got, _, err := where.Eval(t.Context(), time.Now(), row, row); !got || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if !reflect.DeepEqual(object.Object, before) {
		t.Error("the cached object was changed")
	}
}
