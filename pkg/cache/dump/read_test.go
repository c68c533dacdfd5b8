package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf16"
)

const webYAML = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2
`

func TestEveryWayOfWritingObjectsDownIsRead(t *testing.T) {
	const web, node, db = "apps/v1/Deployment/shop/web", "v1/Node//n1", "v1/Pod/shop/db"
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"one YAML document":                    {webYAML, []string{web}},
		"nothing":                              {"", nil},
		"comments and markers":                 {"# nothing\n---\n---\n\n# here\n---\n", nil},
		"documents and comments":               {"# first\n---\n" + webYAML + "--- # second\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n...\n", []string{web, node}},
		"a document after dots":                {"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n...\n" + webYAML, []string{web, node}},
		"a document that begins on its marker": {"%YAML 1.1\n--- {apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n" + webYAML, []string{web, node}},
		"lines that end as on Windows":         {strings.ReplaceAll("---\n"+webYAML+"---\n"+`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}`, "\n", "\r\n"), []string{web, node}},
		"JSON":                                 {`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}`, []string{node}},
		"JSON documents without a line between them": {
			`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db","namespace":"shop"}}`,
			[]string{node, db},
		},
		"JSON and YAML by turns": {
			webYAML + "---\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\n\"metadata\":{\"name\":\"n1\"}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: db, namespace: shop}\n",
			[]string{web, node, db},
		},
		"KYAML": {
			"---\n{\n  apiVersion: \"v1\",\n  kind: \"Node\",\n  metadata: {\n    name: \"n1\",\n  },\n}\n", []string{node},
		},
		"a KYAML list": {
			"---\n{\n  apiVersion: \"v1\",\n  items: [{\n    apiVersion: \"v1\",\n    kind: \"Node\",\n    metadata: {\n      name: \"n1\",\n    },\n  }],\n  kind: \"List\",\n}\n",
			[]string{node},
		},
		"a YAML list": {
			"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: n1}\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: db, namespace: shop}\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
			[]string{node, db},
		},
		"a JSON list whose kind comes last": {
			`{"apiVersion":"v1","items":[{"metadata":{"name":"n1"}}],"kind":"NodeList","metadata":{"resourceVersion":"7"}}`, []string{node},
		},
		"a typed YAML list, whose items name no kind": {
			"---\napiVersion: v1\nitems:\n- metadata:\n    name: n1\nkind: NodeList\n", []string{node},
		},
		"what tail --sync-events -o json writes": {
			`{"type":"ADDED","object":{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}},"initial":true}` + "\n" +
				`{"type":"SYNCED","apiVersion":"v1","kind":"Node"}` + "\n", []string{node},
		},
		"a SYNCED in YAML, with the time and the namespace": {
			"apiVersion: v1\nkind: Pod\nnamespace: shop\ntype: SYNCED\ntime: x\n", nil,
		},
		"an object of a type SYNCED": {
			"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\ntype: SYNCED\n", []string{node},
		},
		"a list in a list": {
			`{"kind":"List","apiVersion":"v1","items":[{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}]}]}`, []string{node},
		},
		"an empty list":             {`{"kind":"List","apiVersion":"v1","items":[],"metadata":{}}`, nil},
		"a list of null":            {`{"kind":"PodList","apiVersion":"v1","items":null,"metadata":{}}`, nil},
		"an array, as jq leaves it": {`[{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}]`, []string{node}},
		"a YAML sequence":           {"- apiVersion: v1\n  kind: Node\n  metadata: {name: n1}\n", []string{node}},
		"an object with a member items": {
			`{"items":{"a":1},"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}{"items":null,"kind":"Pod","apiVersion":"v1","metadata":{"name":"db","namespace":"shop"}}`,
			[]string{node, db},
		},
		"a kind that ends like a list": {"apiVersion: x.example/v1\nkind: AllowList\nmetadata: {name: a}\n", []string{"x.example/v1/AllowList//a"}},
		"UTF-8 with a byte order mark": {"\ufeff" + webYAML, []string{web}},
		"UTF-16, as PowerShell writes": {utf16Text(webYAML), []string{web}},
	} {
		d, err := readText(t, test.text)
		if got := names(d); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, test.want)
		}
	}
}

func utf16Text(text string) string {
	bytes := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		bytes = append(bytes, byte(unit), byte(unit>>8))
	}
	return string(bytes)
}

func TestADirectoryIsReadWithAllBelowIt(t *testing.T) {
	dir := folder(t, map[string]string{
		"cluster-scoped-resources/core/nodes/n1.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n",
		"namespaces/shop/core/pods.yaml":              "---\napiVersion: v1\nitems:\n- metadata: {name: db, namespace: shop}\nkind: PodList\n",
		"namespaces/shop/pods/db/db.yml":              "apiVersion: v1\nkind: Pod\nmetadata: {name: db, namespace: shop}\n",
		"namespaces/shop/apps/deployments.json":       `{"kind":"List","items":[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"}}]}`,
		"events.jsonl":                                `{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"shop"}}}`,
		"namespaces/shop/pods/db/logs/current.log":    "not: for: us",
		"README": "not: for: us",
	})
	if err := os.Symlink(filepath.Join(dir, "namespaces"), filepath.Join(dir, "again.yaml")); err != nil {
		t.Fatal(err)
	}
	d, err := Read(context.Background(), []string{dir}, nil)
	want := []string{"apps/v1/Deployment/shop/web", "v1/ConfigMap/shop/c", "v1/Node//n1", "v1/Pod/shop/db"}
	if err != nil || !slices.Equal(names(d), want) || len(d.Warnings()) > 0 {
		t.Errorf("got %q, %v, %q", names(d), err, d.Warnings())
	}
}

func TestWhatIsNotForKubernetesIsNamedAndNoErrorButOnStdin(t *testing.T) {
	files := map[string]string{
		"chart/Chart.yaml":         "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"chart/values.yaml":        "replicas: 3\n",
		"prod/kustomization.yaml":  "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\n",
		"prod/web.yaml":            webYAML,
		"prod/nameless.yaml":       "apiVersion: v1\nkind: Pod\nmetadata: {}\n",
		"package.json":             `{"name":"x","dependencies":{}}`,
		".github/workflows/ci.yml": "on: push\njobs: {}\n",
	}
	d, err := readFolder(t, files)
	if faults := faultsOf(err); len(faults) != 1 || !strings.HasSuffix(faults[0], "nameless.yaml: document 1, line 1: the object has no metadata.name") {
		t.Errorf("got %q", faults)
	}
	if warnings := d.Warnings(); len(warnings) != 1 || !strings.HasPrefix(warnings[0], "documents that are not Kubernetes objects were passed over: 5, ") || !strings.Contains(warnings[0], "ci.yml, line 1") {
		t.Errorf("got %q", warnings)
	}
	for name, text := range files {
		// What a program has written for us, which may have failed, is an error.
		if _, err := Read(context.Background(), []string{"-"}, strings.NewReader(text)); (err == nil) != (filepath.Base(name) == "web.yaml") {
			t.Errorf("%s on stdin: got %v", name, err)
		}
	}
}

func TestReadingEndsWithItsContextEvenIfStdinDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stdin, terminal := io.Pipe()
		ctx, cancel := context.WithCancelCause(t.Context())
		interrupted := errors.New("interrupted")
		ended := make(chan error)
		go func() {
			d, err := Read(ctx, []string{"-"}, stdin)
			if d != nil {
				t.Error("a dump that is not whole is used")
			}
			ended <- err
		}()
		synctest.Wait()
		cancel(interrupted)
		if err := <-ended; !errors.Is(err, interrupted) {
			t.Errorf("got %v", err)
		}
		terminal.Close()
	})
}

func TestADumpOfManyThousandsOfObjectsIsReadWhole(t *testing.T) {
	const count = 10_000
	write := func(item func(n int) string, before, between, after string) string {
		var text strings.Builder
		text.WriteString(before)
		for n := range count {
			if n > 0 {
				text.WriteString(between)
			}
			text.WriteString(item(n))
		}
		text.WriteString(after)
		return text.String()
	}
	yamlItem := func(n int) string {
		return fmt.Sprintf("- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: pod-%d\n    namespace: ns-%d\n  spec:\n    text: |\n      items:\n      - a\n\n      ---\n", n, n%100)
	}
	jsonItem := func(n int) string {
		return fmt.Sprintf("        {\n            \"apiVersion\": \"v1\",\n            \"kind\": \"Pod\",\n            \"metadata\": {\n                \"name\": \"pod-%d\",\n                \"namespace\": \"ns-%d\"\n            }\n        }", n, n%100)
	}
	for name, text := range map[string]string{
		"YAML":       write(yamlItem, "apiVersion: v1\nitems:\n", "", "kind: List\nmetadata: {}\n"),
		"JSON":       write(jsonItem, "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n", ",\n", "\n    ],\n    \"kind\": \"List\"\n}\n"),
		"JSON lines": write(func(n int) string { return strings.Join(strings.Fields(jsonItem(n)), "") + "\n" }, "", "", ""),
	} {
		if name == "YAML" && len(text) <= wholeYAML {
			t.Fatal("the dump is too small to be divided")
		}
		d := mustRead(t, text)
		if got := names(d); len(got) != count {
			t.Errorf("%s: %d objects, want %d", name, len(got), count)
		}
	}
}
