package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// savedCluster is a dump of several documents: a definition, a list as kubectl
// writes it, and a stream of events as tail does.
const savedCluster = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Gadget, plural: gadgets, singular: gadget, shortNames: [gd]}
  versions:
  - {name: v1, served: true, storage: true, additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]}
---
apiVersion: example.com/v1
kind: Gadget
metadata: {name: lamp}
spec: {color: red, serial: 9007199254740993}
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: db-0, namespace: shop, labels: {app: db}, managedFields: [{manager: me}]}
  spec: {nodeName: node-2, containers: [{name: db, image: postgres}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-1, namespace: shop, labels: {app: web}}
  spec: {nodeName: node-1, containers: [{name: web, image: nginx}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-1, namespace: batch, labels: {app: web}}
  spec: {nodeName: node-1, containers: [{name: web, image: nginx}]}
---
{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"old","namespace":"shop"}}}
{"type":"DELETED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"old","namespace":"shop"}}}
{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new","namespace":"shop"}}}
`

// askDump runs the program over files in a directory, with a kubeconfig that is an
// error for whoever reads it. The words of args are separated by spaces.
func askDump(t *testing.T, files map[string]string, stdin, args string) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("KUBECONFIG", dir)
	out, errOut := &bytes.Buffer{}, &bytes.Buffer{}
	streams := process.Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: out, ErrOut: errOut}}
	code = Main(t.Context(), append([]string{"kubectl-informer"}, strings.Fields(args)...), streams)
	return out.String(), errOut.String(), code
}

func TestADumpAnswersLikeACluster(t *testing.T) {
	for args, want := range map[string]string{
		"list pods":                            "NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE\nbatch       web-1   0/1     Pending   0          <unknown>\nshop        db-0    0/1     Pending   0          <unknown>\nshop        web-1   0/1     Pending   0          <unknown>\n",
		"list pods -A --no-headers":            "batch   web-1   0/1   Pending   0     <unknown>\nshop    db-0    0/1   Pending   0     <unknown>\nshop    web-1   0/1   Pending   0     <unknown>\n",
		"list po -n shop":                      "NAME    READY   STATUS    RESTARTS   AGE\ndb-0    0/1     Pending   0          <unknown>\nweb-1   0/1     Pending   0          <unknown>\n",
		"list pods -n shop -l app=web -o name": "pod/web-1\n",
		"list pods --field-selector spec.nodeName=node-2 -o name":                               "pod/db-0\n",
		"list pods --by node=node-1 -n shop -o name":                                            "pod/web-1\n",
		"list pods --by spec.containers[*].image=postgres -o name":                              "pod/db-0\n",
		"list pods --by name==db-0 -o name":                                                     "pod/db-0\n",
		"list pods --by spec.nodeName= -o name":                                                 "",
		"list pods --by spec.nodeName!= --by name=db-0 -o name":                                 "pod/db-0\n",
		"list pods --by manager= -o name":                                                       "pod/web-1\npod/web-1\n",
		"list pods --by manager= --by manager=me --count-by manager -o name":                    "me\n",
		"list pods --by manager= --count-by node -o name":                                       "node-1\n",
		"list pods --by node=@pod/db-0 -o name":                                                 "pod/db-0\n",
		"list pods --by node=@pod/batch/web-1 -n shop -o name":                                  "pod/web-1\n",
		"list pods --by manager=me -o name":                                                     "pod/db-0\n",
		"list pods --where object.spec.nodeName==\"node-2\" -o name":                            "pod/db-0\n",
		"list pods --count-by node":                                                             "NODE     COUNT\nnode-1   2\nnode-2   1\n",
		"list pods --sort-by -.spec.nodeName --limit 1 -o name":                                 "pod/db-0\n",
		"list pod/db-0 -o jsonpath={.spec.nodeName}":                                            "node-2",
		"list pods -n shop -l app=db -o jsonl":                                                  `{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"app":"db"},"name":"db-0","namespace":"shop"},"spec":{"containers":[{"image":"postgres","name":"db"}],"nodeName":"node-2"}}` + "\n",
		"list pods db-0 --show-managed-fields -o jsonpath={.metadata.managedFields[0].manager}": "me",
		"list pod web-1 -o name":                                                                "pod/web-1\npod/web-1\n",
		"list gadgets":                                                                          "NAME   COLOR\nlamp   red\n",
		"list gd lamp -o jsonpath={.spec.serial}":                                               "9007199254740993",
		"list gadget,cm --show-kind":                                                            "NAME                      COLOR\ngadget.example.com/lamp   red\n\nNAMESPACE   NAME            DATA   AGE\nshop        configmap/new   0      <unknown>\n",
		"list cm -o jsonl":                                                                      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new","namespace":"shop"}}` + "\n",
	} {
		stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": savedCluster}, "", args+" --from dump.yaml")
		if code != 0 || stderr != "" || stdout != want {
			t.Errorf("%s: code %d, stderr %q, got\n%swant\n%s", args, code, stderr, stdout, want)
		}
	}
}

func TestADumpIsReadFromWhereverItIs(t *testing.T) {
	const node = "apiVersion: v1\nkind: Node\nmetadata: {name: %}\n"
	named := func(name string) string { return strings.ReplaceAll(node, "%", name) }
	files := map[string]string{"a.yaml": named("a"), "b.json": `{"apiVersion":"v1","kind":"Node","metadata":{"name":"b"}}`, "c.txt": named("c")}
	for args, want := range map[string]string{
		"--from a.yaml --from c.txt": "node/a\nnode/c\n",
		"--from .":                   "node/a\nnode/b\n",
		"--from - --from b.json":     "node/b\nnode/d\n",
		"--from - --from -":          "node/d\n",
		"-f a.yaml --from .":         "node/a\n",
	} {
		arguments := "list nodes -o name " + args
		if strings.HasPrefix(args, "-f") {
			arguments = "list -o name " + args
		}
		stdout, stderr, code := askDump(t, files, named("d"), arguments)
		if code != 0 || stderr != "" || stdout != want {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestWhatADumpCannotAnswerIsAnError(t *testing.T) {
	for args, want := range map[string]string{
		"tail pods --from dump.yaml":                      "error: tail cannot be used with --from: a dump does not change; list and query answer from it\n",
		"wait pods --for=delete --from dump.yaml":         "error: wait cannot be used with --from: a dump does not change; list and query answer from it\n",
		"list pods --watch-only --from dump.yaml":         "error: --watch cannot be used with --from: a dump does not change\n",
		"list pods -w --from dump.yaml":                   "error: --watch cannot be used with --from: a dump does not change\n",
		"query pods --from -":                             "error: --from - cannot be used with query, which reads its questions from stdin\n",
		"list -f - --from -":                              "error: --from - cannot be used with --filename -: stdin can be read only once\n",
		"list pods --from nope.yaml":                      "error: the path \"nope.yaml\" does not exist\n",
		"list pods --from=":                               "error: invalid argument \"\" for \"--from\" flag: a file, a directory or - is needed\nSee 'kubectl informer list --help' for usage.\n",
		"list widgets --from dump.yaml":                   "error: the server doesn't have a resource type \"widgets\"\n",
		"list pods nope --from dump.yaml":                 "Error from server (NotFound): pods \"nope\" not found\n",
		"list pods --by node=@pod/web-1 --from dump.yaml": "error: pods \"web-1\" is in several namespaces: write @TYPE/NAMESPACE/NAME\n",
		"list pods -l !! --from dump.yaml":                "error: unable to parse requirement: found '!', expected: identifier\n",
	} {
		stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": savedCluster}, "", args)
		if code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestAnUnknownFieldLabelIsAnErrorWithAHint(t *testing.T) {
	_, stderr, code := askDump(t, map[string]string{"dump.yaml": savedCluster}, "", "list pods --field-selector spec.x=y --from dump.yaml")
	if code != 1 || !strings.HasPrefix(stderr, "error: field label not supported: spec.x\nhint: ") || !strings.Contains(stderr, "--by spec.x=y") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestBrokenDocumentsAreNamedAndTheRestIsAnswered(t *testing.T) {
	files := map[string]string{"dump.yaml": savedCluster + "---\nkind: Pod\nmetadata: {name: x}\n", "broken.yaml": "a: b: c\n"}
	for args, want := range map[string]string{
		"list pods -n batch -o name":              "pod/web-1\n",
		"list pods -n none -o name":               "",
		"list pods -n none --exit-status -o name": "",
		"list pods --count-by phase -o name":      "",
	} {
		stdout, stderr, code := askDump(t, files, "", args+" --from dump.yaml --from broken.yaml")
		if code != 1 || stdout != want ||
			!strings.Contains(stderr, "Warning: dump.yaml: document 7, line 36: the object has no apiVersion\n") ||
			!strings.Contains(stderr, "Warning: broken.yaml: document 1, line 1: mapping values are not allowed in this context\n") ||
			!strings.HasSuffix(stderr, "error: 2 of the documents that could not be read may hold objects that were asked for; --ignore-broken makes that no error\n") {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestABrokenDocumentIsAnErrorOnlyForWhoMayMissItsObject(t *testing.T) {
	const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good, namespace: shop}\n"
	files := map[string]string{
		"good.yaml":     good,
		"cut.json":      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{"containers":[{"name`,
		"chart.yaml":    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n  {{ if x }}\n",
		"choice.yaml":   "{{ if x }}\napiVersion: apps/v1\nkind: Deployment\n{{ else }}\napiVersion: apps/v1\nkind: StatefulSet\n{{ end }}\n",
		"list.json":     `{"kind":"ServiceList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"met`,
		"unknown.json":  `{"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}},{"api`,
		"values.yaml":   "replicas: 3\n",
		"nameless.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-, namespace: shop}\n",
	}
	for _, test := range []struct {
		args, from string
		code       int
	}{
		{"list cm", "cut.json", 0},
		{"list pods", "cut.json", 1},
		{"list pods -n shop", "cut.json", 1},
		{"list pods -n batch", "cut.json", 0},
		{"list pods web -n shop --ignore-not-found", "cut.json", 1},
		{"list pods db -n shop --ignore-not-found", "cut.json", 0},
		{"list pods.v1.metrics.k8s.io,cm", "cut.json", 1}, // no such type
		{"list cm,pods", "cut.json", 1},
		{"list cm --used-by pods", "cut.json", 1},
		{"list deploy", "chart.yaml", 1},
		{"list sts", "chart.yaml", 0},
		{"list sts", "choice.yaml", 1},
		{"list cm", "choice.yaml", 1},
		{"list svc", "list.json", 1},
		{"list cm", "list.json", 0},
		{"list cm", "unknown.json", 1},
		{"list cm", "values.yaml", 0},
		{"list jobs -n shop", "nameless.yaml", 1},
		{"list jobs -n batch", "nameless.yaml", 0},
		{"list pods --ignore-broken", "cut.json", 0},
		{"list pods --ignore-broken --exit-status", "cut.json", 3},
		{"list pods --exit-status", "cut.json", 1},
		{"list cm --ignore-broken", ".", 0},
		{"list cm", ".", 1},
		{"indexes pods", "cut.json", 0},
		{"query cm", "cut.json", 0},
		{"query pods", "cut.json", 1},
		{"query pods --ignore-broken", "cut.json", 0},
	} {
		_, stderr, code := askDump(t, files, "\n", test.args+" --from good.yaml --from "+test.from)
		isNamed := test.from == "." || strings.Contains(stderr, test.from) && strings.HasPrefix(stderr, "Warning: ")
		if code != test.code || !isNamed && !strings.HasPrefix(test.args, "list pods.v1") {
			t.Errorf("%s --from %s: code %d, stderr %q", test.args, test.from, code, stderr)
		}
	}
}

func TestAgesOfADumpCountFromItsNewestTimeOrNow(t *testing.T) {
	const pods = `apiVersion: v1
kind: Pod
metadata: {name: old, namespace: shop, creationTimestamp: "2024-05-01T10:00:00Z"}
---
apiVersion: v1
kind: Pod
metadata: {name: new, namespace: shop, creationTimestamp: "2024-05-01T10:30:00Z"}
`
	for args, want := range map[string]string{
		"-n shop --no-headers":                                    "new   0/1   Pending   0     0s\nold   0/1   Pending   0     30m\n",
		"-n shop --no-headers --server-print=false":               "new   0s\nold   30m\n",
		"-n shop --no-headers --now 2024-05-01T12:30:00+01:00":    "new   0/1   Pending   0     60m\nold   0/1   Pending   0     90m\n",
		"-o name --where age(object)>duration(\"10m\")":           "pod/old\n",
		"-o name --where age(object)>duration(\"10m\") --now now": "pod/new\npod/old\n",
		"-o name --where now<timestamp(\"2024-05-01T11:00:00Z\")": "pod/new\npod/old\n",
	} {
		stdout, stderr, code := askDump(t, nil, strings.ReplaceAll(pods, "}\n", "}\nspec: {containers: [{name: a}]}\n"), "list pods --from - "+args)
		if code != 0 || stderr != "" || stdout != want {
			t.Errorf("%s: code %d, stderr %q, got\n%swant\n%s", args, code, stderr, stdout, want)
		}
	}
	for args, want := range map[string]string{
		"list pods --now now":                "error: --now can only be used with --from\n",
		"list pods --ignore-broken":          "error: --ignore-broken can only be used with --from\n",
		"list pods --from - --now yesterday": "error: invalid argument \"yesterday\" for \"--now\" flag: a time in RFC 3339, such as 2006-01-02T15:04:05Z, or the word now is needed\nSee 'kubectl informer list --help' for usage.\n",
		"query pods --now now":               "error: --now can only be used with --from\n",
	} {
		if _, stderr, code := askDump(t, nil, pods, args); code != 1 || stderr != want {
			t.Errorf("%s: code %d, stderr %q", args, code, stderr)
		}
	}
}

func TestLinesOfAQueryCountFromTheTimeOfTheDump(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop, creationTimestamp: \"2024-05-01T10:00:00Z\"}\nstatus: {conditions: [{type: Ready, status: 'False', lastTransitionTime: \"2024-05-01T10:10:00Z\"}]}\n"
	stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": pod},
		"--where 'age(object) > duration(\"9m\")' -o name\n--where 'age(object) > duration(\"11m\")' -o name\n-n shop --no-headers\n", "query pods --from dump.yaml")
	if want := "pod/a\n---\n---\na     0/0   Pending   0     10m\n---\n"; code != 0 || stderr != "" || stdout != want {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestWhatIsNotForKubernetesIsAWarningInADirectory(t *testing.T) {
	files := map[string]string{"dump.yaml": savedCluster, "values.yaml": "replicas: 3\n"}
	stdout, stderr, code := askDump(t, files, "", "list gd -o name --from .")
	if code != 0 || stdout != "gadget.example.com/lamp\n" || stderr != "Warning: documents that are not Kubernetes objects were passed over: 1, in values.yaml, line 1\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestATypeThatIsKnownAndNotInTheDumpIsEmpty(t *testing.T) {
	for args, want := range map[string]string{
		"list services --from dump.yaml":         "No resources found\n",
		"list services -n shop --from dump.yaml": "No resources found in shop namespace.\n",
	} {
		stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": savedCluster}, "", args)
		if code != 0 || stdout != "" || stderr != want {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestObjectsOfAnotherVersionAreNotPassedOverInSilence(t *testing.T) {
	const hpas = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n---\napiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: b}\n"
	stdout, stderr, code := askDump(t, nil, hpas, "list hpa -o name --from -")
	if code != 0 || stdout != "horizontalpodautoscaler.autoscaling/a\n" ||
		stderr != "Warning: only objects of version autoscaling/v2 are shown; there are also horizontalpodautoscalers.v1.autoscaling\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	_, stderr, _ = askDump(t, nil, hpas, "list hpa,horizontalpodautoscalers.v1.autoscaling -o name --from -")
	if stderr != "" {
		t.Errorf("asked for both: stderr %q", stderr)
	}
}

func TestManyQuestionsAreAskedOfOneDump(t *testing.T) {
	stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": savedCluster},
		"--by node=node-1 -n shop -o name\n--count-by node\n", "query pods --from dump.yaml")
	if want := "pod/web-1\n---\nNODE     COUNT\nnode-1   2\nnode-2   1\n---\n"; code != 0 || stderr != "" || stdout != want {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func TestCompletionsComeFromTheDump(t *testing.T) {
	for args, want := range map[string]string{
		"list gad":                   "gadgets",
		"list pods db":               "db-0",
		"list pods --by node=node-2": "node=node-2",
	} {
		stdout, _, code := askDump(t, map[string]string{"dump.yaml": savedCluster}, "", "__complete "+insertFrom(args))
		if code != 0 || !strings.HasPrefix(stdout, want) {
			t.Errorf("%s: code %d, stdout %q", args, code, stdout)
		}
	}
}

// insertFrom puts --from behind the command: the last word is the one to complete.
func insertFrom(args string) string {
	return strings.Replace(args, "list ", "list --from dump.yaml ", 1)
}
