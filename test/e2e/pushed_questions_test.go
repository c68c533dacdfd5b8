package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// A part of an expression that stands in « and » is left to a server as it is, and is not
// when it is an argument of dyn, which changes nothing about it.
var marked = regexp.MustCompile(`«([^»]*)»`)

func pushable(expression string) string { return marked.ReplaceAllString(expression, "$1") }

func unpushable(expression string) string { return marked.ReplaceAllString(expression, "dyn($1)") }

// parts are parts of expressions, by type.
var parts = map[string][]string{
	"pods": {
		`«object.metadata.namespace» == "push-a"`, `«object.metadata.namespace» != "push-a"`, `«object.metadata.namespace» in ["push-b"]`,
		`"push-a" == «object.metadata.namespace»`, `«object.metadata.namespace» in ["push-a", "push-b"]`,
		`«object.metadata.name» == "p3"`, `«object.metadata.name» != "p3"`, `«object["metadata"].name» in ["p1", "p2"]`,
		`«object.spec.nodeName» == "node-1"`, `«object.spec.nodeName» != "node-1"`, `«object.spec.nodeName» == ""`, `«object.spec.nodeName» != ""`,
		`«object.spec.nodeName» in ["node-1", "node-2"]`, `«object.?spec.?nodeName.orValue("")» == "node-2"`,
		`«object.?spec.?nodeName.orValue("")» == ""`, `«object.?spec.?nodeName.orValue("node-1")» == "node-1"`, `«object.spec.?nodeName.orValue("x")» != "x"`,
		`has(object.spec.nodeName) && «object.spec.nodeName» == "node-2"`, `«object.status.phase» == "Pending"`, `«object.status.phase» != "Pending"`,
		`«object.status.podIP» == ""`, `«object.spec.schedulerName» == "nobody"`, `«object.spec.hostNetwork» != "true"`, `«object.spec.hostNetwork» == "true"`,
		`«object.metadata.labels["app"]» == "web"`, `«object.metadata.labels.app» != "web"`, `«object.metadata.labels.app» in ["web", "db", ""]`,
		`«object.metadata.labels.app» == ""`, `«object.metadata.?labels.app.orValue("")» == "db"`, `«object.metadata.?labels.app.orValue("")» == ""`,
		`«object.metadata.labels[?"app"].orValue("web")» != "web"`, `«object.metadata.labels["no key"]» == "web"`,
		`object.spec.containers[0].image == "busybox:1.37"`, `object.spec.containers.size() == 1`, `object.spec.nothing == "x"`,
		`object.metadata.name.endsWith("1")`, `object.spec.?nodeName.orValue("").startsWith("node")`, `object.spec`,
	},
	"gauges": {
		`«object.spec.color» == "red"`, `«object.spec.color» != "red"`, `«object.spec.color» == ""`, `«object.?spec.?color.orValue("red")» != "red"`,
		`«object.?spec.?color.orValue("")» == "blue"`, `«object.spec.on» == "true"`, `«object.spec.on» != "true"`, `«object.spec.level» != "5"`,
		`object.spec.on`, `object.spec.level > 3`, `«object.spec.note» == "red"`, `«object.metadata.name» != "g3"`, `«object.metadata.labels.app» == "web"`,
	},
}

// byAndWhere are values of --by, by type, each with the same as an expression that is not left
// to a server.
var byAndWhere = map[string][][2]string{
	"pods": {
		{"namespace=push-a", `object.metadata.namespace in ["push-a", "-"].map(x, x)`}, {"namespace!=push-a", `!(object.metadata.namespace in ["push-a"].map(x, x))`},
		{"name=p3", `dyn(object.metadata.name) == "p3"`}, {"name!=p3", `dyn(object.metadata.name) != "p3"`},
		{"node=node-1", `object.spec.?nodeName.orValue("") + "" == "node-1"`}, {"node=", `object.spec.?nodeName.orValue("") + "" == ""`},
		{"node!=node-1", `object.spec.?nodeName.orValue("") + "" != "node-1"`}, {"spec.nodeName=node-2", `object.spec.?nodeName.orValue("") + "" == "node-2"`},
		{"phase=Pending", `object.status.?phase.orValue("") + "" == "Pending"`}, {"phase!=Pending", `object.status.?phase.orValue("") + "" != "Pending"`},
		{"label=app=web", `object.metadata.?labels.app.orValue("-") + "" == "web"`}, {"label!=app=web", `object.metadata.?labels.app.orValue("-") + "" != "web"`},
		{"label!=app", `object.metadata.?labels.app.orValue("-") + "" == "-"`}, {"image=busybox:1.37", `object.spec.containers.exists(c, c.image == "busybox:1.37")`},
	},
	"gauges": {
		{"spec.color=red", `dyn(object.?spec.?color.orValue("")) == "red"`}, {"spec.color!=red", `dyn(object.?spec.?color.orValue("")) != "red"`},
		{"spec.color=", `object.?spec.?color.orValue(null) == null || dyn(object.spec.color) == ""`},
		{"spec.color!=", `object.?spec.?color.orValue(null) != null && dyn(object.spec.color) != ""`},
		{".spec.on=true", `string(object.?spec.?on.orValue(false)) == "true"`}, {".spec.on!=true", `string(object.?spec.?on.orValue(false)) != "true"`},
		{"spec.level=5", `string(object.?spec.?level.orValue(0)) == "5"`}, {"spec.level!=5", `string(object.?spec.?level.orValue(0)) != "5"`},
		{"name=g3", `dyn(object.metadata.name) == "g3"`},
	},
}

const gaugesDefinition = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gauges.push.example.com"},
	"spec": {"group": "push.example.com", "scope": "Namespaced", "names": {"plural": "gauges", "kind": "Gauge"}, "versions": [{
	"name": "v1", "served": true, "storage": true,
	"selectableFields": [{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.on"}, {"jsonPath": ".spec.level"}],
	"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
	"color": {"type": "string", "nullable": true}, "on": {"type": "boolean"}, "level": {"type": "integer"}, "note": {"type": "string"}}}}}}}]}}`

// apply creates or changes objects.
func apply(t *testing.T, objects ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.json")
	list := `{"apiVersion": "v1", "kind": "List", "items": [` + strings.Join(objects, ",") + `]}`
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := harness.Eventually(t.Context(), func() error {
		result := kubectl(t, fixture.admin, "apply", "--server-side", "-f", file)
		if result.Code != 0 {
			return fmt.Errorf("%s", result.Stderr) // what has a part in it is not there yet
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func podText(namespace, name, labels, spec string) string {
	return fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": %q, "name": %q, "labels": {"push": "yes"%s}},
		"spec": {"schedulerName": "nobody", "automountServiceAccountToken": false, "containers": [{"name": "c", "image": "busybox:1.37"}]%s}}`,
		namespace, name, labels, spec)
}

// fillPush creates random objects, the same each time, in the namespaces push-a and
// push-b.
func fillPush(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	objects := []string{gaugesDefinition}
	for _, namespace := range []string{"push-a", "push-b"} {
		objects = append(objects, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": %q}}`, namespace))
		for n := range 10 {
			objects = append(objects,
				podText(namespace, "p"+strconv.Itoa(n), pick("", `, "app": "web"`, `, "app": "db"`, `, "app": ""`),
					pick("", `, "nodeName": "node-1"`, `, "nodeName": "node-2"`)+pick("", `, "hostNetwork": true`)),
				fmt.Sprintf(`{"apiVersion": "push.example.com/v1", "kind": "Gauge", "metadata": {"namespace": %q, "name": "g%d", "labels": {"push": "yes"%s}}%s}`,
					namespace, n, pick("", `, "app": "web"`), pick("", `, "spec": {}`, `, "spec": {"color": "red"}`, `, "spec": {"color": "blue", "on": true}`,
						`, "spec": {"color": null, "on": false}`, `, "spec": {"color": "red", "level": 5, "on": true, "note": "red"}`, `, "spec": {"color": "", "level": 3}`)))
		}
	}
	t.Cleanup(emptyPush)
	apply(t, objects...)
}

// emptyPush removes the objects that fillPush has created: other tests ask all
// namespaces.
func emptyPush() {
	_, _ = fixture.programs.Run(context.Background(), fixture.programs.Environ(fixture.home, fixture.admin), "kubectl",
		"delete", "pods,gauges", "-A", "-l", "push", "--grace-period=0", "--force") // the cluster ends with the tests
}

// firstMiss is which of several objects without an answer is named: what is listed
// besides comes first.
var firstMiss = regexp.MustCompile(`(--where had no answer \d+ times); .*`)

// agree compares two answers that have to be the same, also in what is said beside.
func agree(t *testing.T, one, other []string) {
	t.Helper()
	for try := 1; ; try++ {
		a, b := informer(t, fixture.admin, one...), informer(t, fixture.admin, other...)
		a.Stderr, b.Stderr = firstMiss.ReplaceAllString(a.Stderr, "$1"), firstMiss.ReplaceAllString(b.Stderr, "$1")
		if a == b {
			return
		}
		if try == tries {
			t.Fatalf("%q: got\n%+v\n%q: got\n%+v", one, a, other, b)
		}
	}
}

func TestWhatIsLeftToTheServer(t *testing.T) {
	fillPush(t)
	t.Run("expressions change nothing", expressionsThatAreLeftToTheServerChangeNothing)
	t.Run("indexes change nothing", indexesThatAreLeftToTheServerChangeNothing)
	t.Run("expressions and types fix what is asked for", whatExpressionsAndTypesFixIsAllThatIsAskedFor)
	t.Run("a stream reports the same", aStreamThatIsLeftToTheServerReportsTheSame)
	t.Run("what leaves a selection is not counted as deleted", whatLeavesASelectionIsNotCountedAsDeleted)
}

// What is left to the server of expressions changes neither what is printed nor what is
// said of objects that have no answer.
func expressionsThatAreLeftToTheServerChangeNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	questions := 60
	if testing.Short() {
		questions = 6
	}
	for _, resource := range slices.Sorted(maps.Keys(parts)) {
		all := parts[resource]
		t.Run(resource, func(t *testing.T) {
			for range questions {
				question := []string{"list", resource, "-A", "-l", "push=yes", "--chunk-size", strconv.Itoa(3 + random.IntN(30))}
				question = append(question, [][]string{{"-o", "name"}, {"--count-by", "label"}, {"--count-by", "namespace,spec.color"}}[random.IntN(3)]...)
				if random.IntN(2) == 0 {
					question = append(question, "--by", byAndWhere[resource][random.IntN(len(byAndWhere[resource]))][0])
				}
				left, kept := slices.Clone(question), question
				for range 1 + random.IntN(2) {
					var expression []string
					for range 1 + random.IntN(3) {
						expression = append(expression, all[random.IntN(len(all))])
					}
					joined := strings.Join(expression, " && ")
					left, kept = append(left, "--where", pushable(joined)), append(kept, "--where", unpushable(joined))
				}
				agree(t, left, kept)
			}
		})
	}
}

// The same of --by, for list and for wait.
func indexesThatAreLeftToTheServerChangeNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	questions := 40
	if testing.Short() {
		questions = 4
	}
	conditions := []string{
		"delete", "create", "condition=Ready", "jsonpath={.spec.nodeName}=node-1", "jsonpath={.spec.color}=red", `cel=object.metadata.name != "p1"`,
		`cel=object.metadata.namespace == "push-a"`,
	}
	for _, resource := range slices.Sorted(maps.Keys(byAndWhere)) {
		all := byAndWhere[resource]
		t.Run(resource, func(t *testing.T) {
			for n := range questions {
				question := []string{"list", resource, "-A", "-l", "push=yes", "-q", "--chunk-size", strconv.Itoa(3 + random.IntN(30)), "-o", "name"}
				if n%2 == 0 {
					question = []string{"wait", resource, "-A", "-l", "push=yes", "--timeout=0", "--for", conditions[random.IntN(len(conditions))]}
					question = append(question, [][]string{{}, {"--any"}, {"--none"}, {"--count=>=2"}, {"--fail-for=condition=Lost"}}[random.IntN(5)]...)
				}
				left, kept := slices.Clone(question), question
				var names []string
				for range 1 + random.IntN(3) {
					one := all[random.IntN(len(all))]
					if name := one[0][:strings.IndexAny(one[0], "!=")]; !slices.Contains(names, name) { // of one index they are OR
						left, kept, names = append(left, "--by", one[0]), append(kept, "--where", one[1]), append(names, name)
					}
				}
				agree(t, left, kept)
			}
		})
	}
}

// streamed is what a stream has reported of an object, before a version of all.
func streamed(t *testing.T, lines []string, before int) map[string][]string {
	t.Helper()
	reported := map[string][]string{}
	for _, line := range lines {
		var event struct {
			Type, Reason string
			Initial      bool
			Changes      []struct{ Path string }
			Object       struct {
				Metadata struct{ Namespace, Name, ResourceVersion string }
			}
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		object := event.Object.Metadata
		if version, err := strconv.Atoi(object.ResourceVersion); err != nil || version >= before {
			continue
		}
		id := object.Namespace + "/" + object.Name
		reported[id] = append(reported[id], fmt.Sprint(event.Type, event.Reason, event.Initial, event.Changes, object.ResourceVersion))
	}
	return reported
}

// What enters a selection and what leaves it is the same, whoever selects.
func aStreamThatIsLeftToTheServerReportsTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const node = `«object.?spec.?nodeName.orValue("")» == "node-1"`
	selections := [][2][]string{
		{{"--by", "namespace=push-a"}, {"--where", `dyn(object.metadata.namespace) == "push-a"`}},
		{{"--by", "node=node-1"}, {"--where", unpushable(node)}},
		{{"--by", "node=node-1", "--by", "label=app=web"}, {"--where", unpushable(node), "--by", "label=app=web"}},
		{{"--where", pushable(node)}, {"--where", unpushable(node)}},
		{{"--by", "name!=n1", "--diff"}, {"--where", `dyn(object.metadata.name) != "n1"`, "--diff"}},
		{{"--by", "node!=node-1"}, {"--where", `object.spec.?nodeName.orValue("") + "" != "node-1"`}},
		{{"--by", "phase=Pending"}, {"--where", `object.status.phase + "" == "Pending"`}},
	}
	for _, where := range []string{
		`«object.metadata.namespace» != "push-b" && object.spec.nodeName == "node-1"`, `«object.metadata.labels.app» == "web"`,
		`«object.metadata.namespace» == "push-a" && object.metadata.labels != oldObject.metadata.labels`,
	} {
		selections = append(selections, [2][]string{{"--where", pushable(where)}, {"--where", unpushable(where)}})
	}
	if testing.Short() {
		selections = selections[:2]
	}
	environ := fixture.programs.Environ(fixture.home, fixture.admin)
	var streams [][2]*harness.Stream
	for _, selection := range selections {
		var pair [2]*harness.Stream
		for n, args := range selection {
			stream, err := fixture.programs.Start(t.Context(), environ, "kubectl-informer",
				append([]string{"tail", "pods", "-A", "-l", "push", "-o", "json", "-v=6"}, args...)...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = stream.Kill() })
			if err := stream.Until(func(_, stderr []string) bool { return harness.Watches(stderr) == 1 }); err != nil {
				t.Fatal(err)
			}
			pair[n] = stream
		}
		streams = append(streams, pair)
	}
	changePods(t, random)
	apply(t, podText("push-a", "end", `, "app": "web"`, `, "nodeName": "node-1"`), podText("push-a", "end-2", "", ""))
	last := kubectl(t, fixture.admin, "get", "pod", "end", "-n", "push-a", "-o", "jsonpath={.metadata.resourceVersion}")
	before, err := strconv.Atoi(last.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, fixture.admin, "label", "pod", "end", "-n", "push-a", "over=yes") // a change, for who sees only those
	for n, pair := range streams {
		var reported [2]map[string][]string
		for m, stream := range pair {
			if err := stream.Until(func(stdout, _ []string) bool {
				return slices.ContainsFunc(stdout, func(line string) bool { return strings.Contains(line, `"name":"end`) })
			}); err != nil {
				t.Fatalf("%q: %v", selections[n][m], err)
			}
			reported[m] = streamed(t, stream.Lines(), before)
		}
		if left, kept := fmt.Sprint(reported[0]), fmt.Sprint(reported[1]); left != kept || len(reported[0]) < 2 {
			t.Errorf("%q: got\n%s\nwant\n%s", selections[n][0], left, kept)
		}
	}
}

// changePods creates, binds, labels and deletes pods.
func changePods(t *testing.T, random *rand.Rand) {
	t.Helper()
	now := int64(0)
	for n := range 4 {
		for _, namespace := range []string{"push-a", "push-b"} {
			pods := client(t).CoreV1().Pods(namespace)
			pod := &corev1.Pod{}
			err := json.Unmarshal([]byte(podText(namespace, "n"+strconv.Itoa(n), "", "")), pod)
			if err == nil {
				_, err = pods.Create(t.Context(), pod, metav1.CreateOptions{})
			}
			if err == nil {
				node := corev1.ObjectReference{Kind: "Node", Name: "node-" + strconv.Itoa(1+random.IntN(2))}
				err = pods.Bind(t.Context(), &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name}, Target: node}, metav1.CreateOptions{})
			}
			for _, label := range []string{"web", "db", "web"} {
				if err == nil {
					patch := fmt.Sprintf(`{"metadata": {"labels": {"app": %q}}}`, label)
					_, err = pods.Patch(t.Context(), pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
				}
			}
			if err == nil {
				err = pods.Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Where deletions are counted, what leaves the selection of a server would be one.
func whatLeavesASelectionIsNotCountedAsDeleted(t *testing.T) {
	const labels = `, "app": "leaving"`
	apply(t, podText("push-a", "leaver", labels, ""), podText("push-a", "first", labels, ""), podText("push-a", "second", labels, ""))
	stream, err := fixture.programs.Start(t.Context(), fixture.programs.Environ(fixture.home, fixture.admin), "kubectl-informer",
		"wait", "pods", "-A", "--by", "namespace=push-a", "--by", "label=app=leaving", "--for=delete", "--count", "2", "--timeout=2m", "-v=6")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Kill() })
	if err := stream.Until(func(_, stderr []string) bool { return harness.Watches(stderr) == 1 }); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"label", "pod", "leaver", "-n", "push-a", "app-"},
		{"delete", "pod", "first", "second", "-n", "push-a", "--grace-period=0", "--force", "--wait=false"},
	} {
		if result := kubectl(t, fixture.admin, command...); result.Code != 0 {
			t.Fatalf("%q: %+v", command, result)
		}
	}
	result, err := stream.Wait()
	if err != nil || result.Code != 0 || strings.Contains(result.Stdout, "leaver") || strings.Count(result.Stdout, "condition met") != 2 {
		t.Errorf("got %+v, %v", result, err)
	}
	if !strings.Contains(result.Stderr, "/namespaces/push-a/pods?") {
		t.Errorf("what lasts is not left to the server: %s", result.Stderr)
	}
}

// What a type declares as selectable is asked for where there is more than a page.
func whatExpressionsAndTypesFixIsAllThatIsAskedFor(t *testing.T) {
	for _, test := range []struct {
		question []string
		want     []string
		lists    int
	}{
		{[]string{"list", "pods", "-A", "--where", `object.metadata.namespace == "push-a" && object.spec.nodeName == "node-1"`},
			[]string{"/namespaces/push-a/pods?fieldSelector=spec.nodeName%3D&", "/namespaces/push-a/pods?fieldSelector=spec.nodeName%3Dnode-1&"}, 2},
		{[]string{"list", "pods", "-A", "--by", "node=node-1"}, []string{"/pods?fieldSelector=spec.nodeName%3Dnode-1&"}, 1},
		{[]string{"list", "gauges", "-A", "--by", "spec.color=red", "--by", "namespace=push-a", "--chunk-size", "3"},
			[]string{"/openapi/v3/apis/push.example.com/v1", "/namespaces/push-a/gauges?fieldSelector=spec.color%3Dred&"}, 0},
		{[]string{"list", "gauges", "-A", "--where", `object.spec.color == "red"`, "--chunk-size", "10"},
			[]string{"/gauges?fieldSelector=spec.color%3D&", "/gauges?fieldSelector=spec.color%3Dred&"}, 0},
		{[]string{"list", "gauges", "-A", "--by", "spec.color=red"}, []string{"/gauges?limit=500"}, 1},
		{[]string{"wait", "pods", "-A", "--by", "phase=Pending", "--any", "--for=create"}, []string{"/pods?fieldSelector=status.phase%3DPending&"}, 1},
	} {
		result := verbose(t, fixture.admin, append(test.question, "-o", "name", "-v=6")...)
		lists := 0
		for _, line := range strings.Split(result.Stderr, "\n") {
			if strings.Contains(line, "?") && !strings.Contains(line, "watch=true") && strings.Contains(line, "limit=") {
				lists++
			}
		}
		for _, want := range test.want {
			if !strings.Contains(result.Stderr, want) || result.Code != 0 || test.lists > 0 && lists != test.lists {
				t.Errorf("%q: %d lists; want %s; got %+v", test.question, lists, want, result)
			}
		}
		if strings.Contains(result.Stderr, "/openapi/") && test.lists > 0 {
			t.Errorf("%q: what a page does not need is asked for: %+v", test.question, result)
		}
	}
}
