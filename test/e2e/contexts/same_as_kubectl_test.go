package contexts

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/binaries"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// tries is how often a question is asked: objects of the control plane change between
// kubectl's answer and ours.
const tries = 12

var clusters = []string{"west", "east"}

// ask runs one of the programs.
func ask(t *testing.T, program string, args ...string) harness.Result {
	t.Helper()
	result, err := stage.programs.Run(t.Context(), environ(), program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// typesOf are the types that a cluster can list. Component statuses come in any order.
func typesOf(t *testing.T, context string) []string {
	t.Helper()
	types := strings.Fields(ask(t, "kubectl", "--context", context, "api-resources", "--verbs=list", "-o", "name").Stdout)
	if len(types) < 40 {
		t.Fatalf("%s has only the types %q", context, types)
	}
	return slices.DeleteFunc(types, func(name string) bool { return name == "componentstatuses" })
}

// makeObjects makes in both clusters objects of as many types as both have.
func makeObjects(t *testing.T) {
	t.Helper()
	for _, in := range clusters {
		if made := ask(t, "kubectl", "--context", in, "create", "namespace", "tables"); made.Code != 0 {
			t.Fatal(made.Stderr)
		}
		for _, name := range []string{"batch", "cluster", "networking", "pods", "policies", "services", "storage", "workloads"} {
			file := filepath.Join("..", "dump", "testdata", "tables", name+".yaml")
			if made := ask(t, "kubectl", "--context", in, "apply", "--server-side", "-f", file); made.Code != 0 {
				t.Fatalf("%s in %s: %s", name, in, made.Stderr)
			}
		}
	}
}

// With clusters of two releases these are two servers that differ in types, in columns
// and in the fields of objects.
func TestEachClusterAnswersAsKubectlGetAnswersOfIt(t *testing.T) {
	makeObjects(t)
	types := map[string][]string{}
	var both []string
	for _, in := range clusters {
		types[in] = typesOf(t, in)
	}
	for _, name := range types["west"] {
		if slices.Contains(types["east"], name) {
			both = append(both, name)
		}
	}
	for _, format := range [][]string{{"-o", "json"}, {"-o", "json", "--chunk-size", "8", "--show-managed-fields"}, {}, {"-o", "wide"}} {
		t.Run(strings.Join(format, " "), func(t *testing.T) {
			compare(t, clusters, append([]string{strings.Join(both, ","), "-A"}, format...)...)
		})
	}
	alone := 0
	for n, in := range clusters {
		lacks := clusters[1-n]
		for _, name := range types[in] {
			if slices.Contains(both, name) {
				continue
			}
			alone++
			t.Run(name, func(t *testing.T) {
				resource, group, _ := strings.Cut(name, ".")
				stderr := compare(t, []string{in}, name, "-A", "-o", "json")
				if want := fmt.Sprintf("context %q: error: the server doesn't have a resource type %q in group %q\n", lacks, resource, group); !strings.HasSuffix(stderr, want) {
					t.Errorf("stderr is %q, want %q", stderr, want)
				}
			})
		}
	}
	if alone == 0 && stage.east.Release() == binaries.Previous {
		t.Error("both clusters have the same types: nothing is shown of types that only one has")
	}
}

// compare compares what we answer of both clusters with what kubectl answers of each
// that is asked, and returns what we say besides.
func compare(t *testing.T, asked []string, question ...string) (stderr string) {
	t.Helper()
	var difference string
	for range tries {
		ours := ask(t, "kubectl-informer", append([]string{"list", "--contexts", "west,east"}, question...)...)
		if wanted := len(asked) == len(clusters); wanted != (ours.Code == 0) {
			t.Fatalf("exit code %d: %s", ours.Code, ours.Stderr)
		}
		of, err := byContext(ours.Stdout)
		if err != nil {
			t.Fatal(err)
		}
		difference = ""
		for _, in := range asked {
			theirs := ask(t, "kubectl", append([]string{"--context", in, "get"}, question...)...)
			want, err := byContext(theirs.Stdout)
			if err != nil || theirs.Code != 0 {
				t.Fatal(err, theirs.Stderr)
			}
			if len(want[""]) == 0 && len(asked) == len(clusters) {
				t.Fatalf("%s has no objects", in)
			}
			difference += cmp.Diff(want[""], of[in])
		}
		if difference == "" {
			return ours.Stderr
		}
	}
	t.Errorf("(-kubectl +we) %s", difference)
	return ""
}

// object is what an answer says of an object: members, or the cells of a row.
type object = map[string]any

// byContext reads a List, or tables, and takes the context from each object.
func byContext(answer string) (map[string][]object, error) {
	of := map[string][]object{}
	var list struct{ Items []object }
	var err error
	if strings.HasPrefix(answer, "{") {
		err = json.Unmarshal([]byte(answer), &list)
	} else {
		list.Items, err = rows(answer)
	}
	for _, item := range list.Items {
		if isRenewed(item) {
			continue
		}
		context, _ := item["context"].(string)
		delete(item, "context")
		of[context] = append(of[context], item)
	}
	return of, err
}

// isRenewed says whether an object is a lease that an API server renews: what two answers
// have of it is not the same on a machine that is busy.
func isRenewed(item object) bool {
	metadata, _ := item["metadata"].(object)
	return item["kind"] == "Lease" && metadata["namespace"] == "kube-system"
}

// header is one word of a table's header, which can be two.
var header = regexp.MustCompile(`\S+(?: \S+)*`)

// relative is a time as tables show it, which ticks.
var relative = regexp.MustCompile(`\b(?:\d+[ydhms])+\b`)

// rows reads tables: of each row the cells that are not empty, by the names of their
// columns.
func rows(tables string) (all []object, err error) {
	var columns [][]int
	var names string
	for line := range strings.SplitSeq(strings.TrimSuffix(tables, "\n"), "\n") {
		switch {
		case line == "":
			columns = nil
			continue
		case columns == nil:
			columns, names = header.FindAllStringIndex(line, -1), line
			continue
		}
		row := object{}
		for n, column := range columns {
			end := len(line)
			if n+1 < len(columns) {
				end = min(end, columns[n+1][0])
			}
			if cell := strings.TrimSpace(line[min(column[0], len(line)):end]); cell != "" {
				row[strings.ToLower(names[column[0]:column[1]])] = relative.ReplaceAllString(cell, "AGE")
			}
		}
		if len(row) == 0 {
			err = errors.Join(err, fmt.Errorf("a row without cells under %q", names))
		}
		all = append(all, row)
	}
	return all, err
}
