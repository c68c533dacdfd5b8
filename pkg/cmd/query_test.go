package cmd

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// askQuery asks questions, one a line, of the pods of savedCluster.
func askQuery(t *testing.T, flags string, lines ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": savedCluster}, strings.Join(lines, "\n"), "query pods --from dump.yaml "+flags)
	if code != 0 {
		t.Fatalf("query %s: code %d, stderr %q", flags, code, stderr)
	}
	return stdout, stderr
}

// A coprocess reads up to the end of an answer: whatever the answer is, the end is
// a line, or a byte, of its own.
func TestACoprocessKnowsWhereAnAnswerEnds(t *testing.T) {
	const empty = "{\n    \"apiVersion\": \"v1\",\n    \"items\": [],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n"
	for line, want := range map[string]string{
		"-o name --by name=db-0":                          "pod/db-0\n",
		"-o name --by name=nope":                          "",
		"--by name=nope":                                  "",
		"--by manager= -n batch -o name":                  "pod/web-1\n",
		"--by manager!= --by name==db-0 -o name":          "pod/db-0\n",
		"-o json --by name=db-0 -n batch":                 empty,
		"-o jsonl --by name=nope":                         "",
		"-o jsonpath={.items[*].metadata.name} -n batch":  "web-1",
		"-o jsonpath={.items[*].metadata.nope}":           "",
		"-o 'go-template={{len .items}}{{\"\\n\\n\"}}'":   "3\n\n",
		"-o 'go-template={{len .items}}'":                 "3",
		"--count-by node -o name":                         "node-1\nnode-2\n",
		"--count-by pvc":                                  "",
		"--count-by node -o jsonpath={.values[0].value}":  "node-1",
		"-o custom-columns=N:.metadata.name --by name=no": "N\n",
	} {
		end := "---\n"
		if want != "" && !strings.HasSuffix(want, "\n") {
			end = "\n---\n"
		}
		for flags, want := range map[string]string{"": want + end, "--null": want + "\x00"} {
			// Twice: what comes before an answer's end changes nothing behind it.
			if got, _ := askQuery(t, flags, line, line); got != want+want {
				t.Errorf("%s %q: got %q, want %q twice", flags, line, got, want)
			}
		}
	}
}

func TestALineIsALineHoweverItEnds(t *testing.T) {
	const question = "-o name --by name=db-0"
	for input, answers := range map[string]int{
		"":                                0,
		question:                          1,
		question + "\n":                   1,
		question + "\r\n":                 1,
		question + "\r\n" + question:      2,
		"\n":                              1,
		strings.Repeat(question+"\n", 50): 50,
	} {
		got, _ := askQuery(t, "", input)
		if strings.Count(got, "---\n") != answers || strings.Contains(got, "Status") {
			t.Errorf("%q: got %q, want %d answers", input, got, answers)
		}
	}
}

func TestABadLineIsAnsweredInItsPlaceAndEndsNothing(t *testing.T) {
	const good = "-o name --by name=db-0"
	for line, want := range map[string]string{
		"--nope":                        `"message":"unknown flag: --nope","reason":"BadRequest","code":400}`,
		"--by nope=x":                   `"message":"pods has no index \"nope\": it has annotation, `,
		"--count-by nope":               `"message":"pods has no index \"nope\": it has annotation, `,
		"--sort-by .metadata":           `"message":"--sort-by: field {.metadata} of Pod \"web-1\" in namespace \"batch\" cannot be sorted by: it is a map"`,
		"--by name=@pod/nope":           `"message":"pods \"nope\" not found","reason":"NotFound","details":{"name":"nope","kind":"pods"},"code":404}`,
		"--by name=@nope/x":             `"message":"the server doesn't have a resource type \"nope\""`,
		"--count-by node -o wide=x":     `"message":"unable to match a printer`,
		"--count-by node -o custom-col": `"message":"unable to match a printer`,
		"--count-by node -o custom-columns=N:.metadata.name": `"message":"counts have no columns to choose from`,
	} {
		got, stderr := askQuery(t, "", good, line, good)
		bad := strings.TrimSuffix(strings.TrimPrefix(got, "pod/db-0\n---\n"), "---\npod/db-0\n---\n")
		if strings.Count(bad, "\n") != 1 || !strings.HasPrefix(bad, `{"kind":"Status","apiVersion":"v1",`) || !strings.Contains(bad, want) {
			t.Errorf("%s: got %q", line, got)
		}
		if stderr != "" {
			t.Errorf("%s: stderr %q", line, stderr)
		}
	}
}

func TestALineSeesManagedFieldsThatNoLineAskedForBefore(t *testing.T) {
	got, stderr := askQuery(t, "",
		"-o jsonl -n shop -l app=db", "--by manager=me -o name", "--count-by manager -o name", "-o jsonl -n shop -l app=db",
		"-o jsonl --show-managed-fields -n shop -l app=db", "--where 'has(object.metadata.managedFields)' -o name")
	answers := strings.Split(got, "---\n")
	const object = `{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"app":"db"},`
	for n, want := range []string{object + `"name":"db-0"`, "pod/db-0\n", "me\n", object + `"name":"db-0"`, object + `"managedFields":[{"manager":"me"}]`, "pod/db-0\n", ""} {
		if !strings.HasPrefix(answers[n], want) {
			t.Errorf("answer %d: got %q, want %q", n, answers[n], want)
		}
	}
	if stderr != "" {
		t.Errorf("stderr %q", stderr)
	}
}

func TestWhatALineMissesIsToldBesideItsAnswer(t *testing.T) {
	got, stderr := askQuery(t, "",
		"--by spec.nodename=node-1 -o name", "--by .spec.nodename=node-2 -o name", "--count-by spec.nodename -o name",
		`--where 'object.spec.nope == "x"' -o name`, "--where 'object.metadata.labels.app == \"db\"' -o name", "--where 'object.metadata.managedFields.size() > 0' -o name")
	if want := "---\n---\n---\n---\npod/db-0\n---\npod/db-0\n---\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	const absent = `no object has a value at .spec.nodename; write a dot within a key as \. and the elements of a list as [*]`
	want := "Warning: line 1: " + absent + "\nWarning: line 2: " + absent + "\nWarning: line 3: " + absent + `
Warning: line 4: --where had no answer 3 times; the first: pod/web-1 in namespace "batch": no such key: nope
Warning: line 6: --where had no answer 2 times; the first: pod/web-1 in namespace "batch": no such key: managedFields
`
	if stderr != want {
		t.Errorf("stderr\n%swant\n%s", stderr, want)
	}
}

func TestADocumentCarriesItsOwnWarnings(t *testing.T) {
	const misses = `--where had no answer 3 times; the first: pod/web-1 in namespace "batch": no such key: nope`
	for line, want := range map[string][]string{
		"":                                     nil,
		"--where 'object.spec.nope == \"[]\"'": {misses},
		"--where 'object.spec.nope == 1' --sort-by .spec.no": {misses},
		"--sort-by .spec.no":                 {`couldn't find any field with path "{.spec.no}" in the list of objects: not sorted by it`},
		"--by spec.no=[] --sort-by .spec.no": {`no object has a value at .spec.no; write a dot within a key as \. and the elements of a list as [*]`},
		"--count-by spec.no":                 {`no object has a value at .spec.no; write a dot within a key as \. and the elements of a list as [*]`},
	} {
		var stderr string
		for _, format := range []string{"json", "yaml", "kyaml"} {
			var got string
			got, stderr = askQuery(t, "", "--nope", line+" -o "+format)
			_, got, _ = strings.Cut(got, "---\n")
			var document struct {
				Items, Values []any
				Warnings      []string
			}
			if err := yaml.Unmarshal([]byte(strings.TrimSuffix(got, "---\n")), &document); err != nil {
				t.Fatalf("%s: %v in\n%s", line, err, got)
			}
			if !slices.Equal(document.Warnings, want) || document.Items == nil && document.Values == nil {
				t.Errorf("%s -o %s: warnings %q, want %q, in\n%s", line, format, document.Warnings, want, got)
			}
		}
		told := ""
		for _, warning := range want {
			told += "Warning: line 2: " + warning + "\n"
		}
		if stderr != told {
			t.Errorf("%s: stderr %q, want %q", line, stderr, told)
		}
	}
}

// A template that fails on the last object has printed the others; kubectl's
// printers append what they failed on.
func TestAnAnswerIsWholeOrAStatus(t *testing.T) {
	const good = "-o name --by name=db-0"
	for _, format := range []string{
		"-o 'go-template={{range .items}}{{.metadata.name}}{{if eq .metadata.name \"web-1\"}}{{.metadata.nope.nope}}{{end}}{{end}}' --allow-missing-template-keys=false",
		"-o 'go-template={{range .items}}{{.metadata.name}}{{end}}{{index .items 7}}'",
		"-o 'jsonpath={range .items[*]}{.metadata.name}{end}{.items[*].metadata.labels.tier}' --allow-missing-template-keys=false",
		"-o 'jsonpath={.items[*].metadata.name}{range .items[*].spec.none[*]}{[0]}{end}'",
	} {
		for flags, end := range map[string]string{"": "---\n", "--null": "\x00"} {
			got, stderr := askQuery(t, flags, good, format, good)
			answers := strings.Split(got, end)
			var status metav1.Status
			if len(answers) != 4 || answers[0] != "pod/db-0\n" || answers[2] != answers[0] || json.Unmarshal([]byte(answers[1]), &status) != nil {
				t.Errorf("%s: got %q", format, got)
				continue
			}
			if strings.Contains(got, "apiVersion\\\"") || strings.Contains(got, "map[string]") || len(answers[1]) > 600 || stderr != "" {
				t.Errorf("%s: objects in %q, stderr %q", format, answers[1], stderr)
			}
		}
	}
}

const hostileCluster = `apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop, annotations: {evil: "one\n---\ntwo\0three\n---\n"}}
`

// A line of data can look like the end of an answer; a NUL cannot be in one.
func TestNoDataEndsAnAnswerWithNull(t *testing.T) {
	const good = "-o name"
	for _, line := range []string{
		"-o jsonpath={.items[*].metadata.annotations.evil}",
		"-o 'go-template={{range .items}}{{.metadata.annotations.evil}}{{end}}'",
		"-o 'go-template={{\"a\\x00b\"}}'",
		"-o custom-columns=A:.metadata.annotations.evil",
		"-o json", "-o yaml", "-o kyaml", "-o jsonl", "--count-by metadata.annotations.evil -o name", "--count-by metadata.annotations.evil",
		"--by metadata.annotations.evil=\x00", "--no\x00pe", "-o 'jsonpath={.items[*].metadata.annotations.evil}{range .items[*].spec.none[*]}{[0]}{end}'",
	} {
		got, _, code := askDump(t, map[string]string{"dump.yaml": hostileCluster}, strings.Join([]string{good, line, good}, "\n"), "query pods --from dump.yaml --null")
		answers := strings.Split(got, "\x00")
		if code != 0 || len(answers) != 4 || answers[0] != "pod/p\n" || answers[2] != answers[0] || answers[3] != "" {
			t.Errorf("%s: code %d, got %q", line, code, got)
		}
	}
	got, _, _ := askDump(t, map[string]string{"dump.yaml": hostileCluster}, "-o jsonpath={.items[*].metadata.annotations.evil}", "query pods --from dump.yaml --null")
	if want := "one\n---\ntwo\\u0000three\n---\n\x00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASessionsOwnExpressionIsToldAtItsEnd(t *testing.T) {
	got, stderr := askQuery(t, "--where object.metadata.managedFields.size()>0", "-o name", "-n batch -o name")
	if want := "pod/db-0\n---\n---\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := "Warning: --where had no answer 3 times; the first: "; !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("stderr %q, want %q", stderr, want)
	}
}

// brokenPipe is what a reader leaves that has gone.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestASessionEndsQuietlyWithItsReader(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump.yaml")
	if err := os.WriteFile(dump, []byte(savedCluster), 0o644); err != nil {
		t.Fatal(err)
	}
	// There is always another line: only the broken pipe can end it.
	endless := io.MultiReader(strings.NewReader("-o name\n"), neverEnds{})
	var stderr strings.Builder
	code := Main(t.Context(), []string{"kubectl-informer", "query", "pods", "--from", dump}, process.Streams{
		IOStreams: genericiooptions.IOStreams{In: endless, Out: brokenPipe{}, ErrOut: &stderr},
	})
	if code != process.ExitBrokenPipe || stderr.String() != "" {
		t.Errorf("code %d, stderr %q", code, stderr.String())
	}
}

// neverEnds is a stdin on which empty lines come for ever.
type neverEnds struct{}

func (neverEnds) Read(p []byte) (int, error) {
	p[0] = '\n'
	return 1, nil
}
