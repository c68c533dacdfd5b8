package e2e

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// tries is how often both tools are asked: ages tick between the two answers,
// and a control plane at work changes its leases and nodes.
const tries = 12

// formats are the ways to print that are tried on every type.
var formats = [][]string{
	{}, {"-o", "wide"}, {"-o", "json"}, {"-o", "yaml"}, {"-o", "kyaml"}, {"-o", "name"},
	{"-o", "jsonpath={range .items[*]}{.kind}/{.metadata.name}{\"\\n\"}{end}"},
	{"-o", "jsonpath-as-json={.items[*].metadata.uid}"},
	{"-o", "go-template={{range .items}}{{.metadata.name}} {{end}}"},
	{"-o", "custom-columns=NAME:.metadata.name,OWNER:.metadata.ownerReferences[*].name"},
	{"-o", "custom-columns", "--template", "A:.metadata.namespace"},
	{"--show-labels"}, {"-L", "app.kubernetes.io/name,tier", "-o", "wide"}, {"--show-kind"}, {"--no-headers"},
	{"-o", "yaml", "--show-managed-fields"}, {"--sort-by", ".metadata.name"}, {"-o", "json", "--sort-by", "{.metadata.uid}"},
	// In pages: those after the first come in other forms.
	{"-o", "json", "--chunk-size", "4"}, {"-o", "yaml", "--chunk-size", "4", "--show-managed-fields"}, {"-o", "kyaml", "--chunk-size", "4"},
	{"-o", "go-template={{range .items}}{{.}}{{end}}", "--chunk-size", "4"}, {"-o", "jsonpath={.items}", "--chunk-size", "4"},
}

// kubectl asks the oracle.
func kubectl(t *testing.T, kubeconfig string, args ...string) harness.Result {
	t.Helper()
	result, err := fixture.programs.Run(t.Context(), fixture.programs.Environ(fixture.home, kubeconfig), "kubectl", args...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// inProcess keeps the plugin's runs in this process apart: klog's flags are the
// process's.
var inProcess sync.Mutex

// informer asks the plugin, in this process: with the race detector, and
// without the time a new process takes.
func informer(t *testing.T, kubeconfig string, args ...string) harness.Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"kubectl-informer"}, args...)
	args = append(args, "--kubeconfig", kubeconfig, "--cache-dir", fixture.home+"/.kube/cache")
	inProcess.Lock()
	defer inProcess.Unlock()
	code := cmd.Main(t.Context(), args, process.Streams{IOStreams: genericiooptions.IOStreams{
		In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr,
	}})
	return harness.Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: code}
}

// asker asks kubectl, as the admin.
type asker func(t *testing.T, args ...string) harness.Result

// kubectlItself starts kubectl for a question.
func kubectlItself(t *testing.T, args ...string) harness.Result {
	t.Helper()
	return kubectl(t, fixture.admin, args...)
}

// startOracle returns kubectl get that need not be started for each question.
func startOracle(t *testing.T) asker {
	t.Helper()
	oracle, err := harness.StartOracle(context.WithoutCancel(t.Context()), t.TempDir(), fixture.programs.Environ(fixture.home, fixture.admin))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := oracle.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(t *testing.T, args ...string) harness.Result {
		t.Helper()
		answer, err := oracle.Ask(args...)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

// same asks both until the answers are the same, and says how they differ if
// they never are. Ours may say more, in hints on lines of their own, knows a
// format more, and calls itself by another name.
func same(t *testing.T, ask asker, question ...string) (difference string) {
	t.Helper()
	var theirs, ours harness.Result
	for range tries {
		theirs = ask(t, append([]string{"get"}, question...)...)
		ours = informer(t, fixture.admin, append([]string{"list"}, question...)...)
		ours.Stderr = withoutHints(ours.Stderr)
		theirs.Stderr = strings.NewReplacer("kubectl get", "kubectl informer list", ",json,", ",json,jsonl,").Replace(theirs.Stderr)
		if slices.Contains(question, "componentstatuses") {
			// The server gives them in another order each time.
			theirs.Stdout, ours.Stdout = unordered(theirs.Stdout), unordered(ours.Stdout)
		}
		if theirs == ours || sortedByNothing(theirs, ours) {
			return ""
		}
		after := ask(t, append([]string{"get"}, question...)...)
		if theirs.Code == ours.Code && theirs.Stderr == ours.Stderr && harness.SameButForAges(theirs.Stdout, ours.Stdout, after.Stdout) {
			return ""
		}
	}
	return fmt.Sprintf("kubectl exits %d, we %d\n%s%s", theirs.Code, ours.Code,
		firstDifference("stdout", theirs.Stdout, ours.Stdout), firstDifference("stderr", theirs.Stderr, ours.Stderr))
}

// sortedByNothing says that no object has the field to sort by, which is where we
// part from kubectl: it answers with an error, we with all objects.
func sortedByNothing(theirs, ours harness.Result) bool {
	const notice = "couldn't find any field with path"
	return theirs.Code == 1 && strings.Contains(theirs.Stderr, "error: "+notice) &&
		ours.Code == 0 && strings.Contains(ours.Stderr, "Warning: "+notice)
}

// unordered puts the words of a text into one order.
func unordered(text string) string {
	words := strings.Fields(text)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// withoutHints drops what we say more than kubectl does: on lines of its own.
func withoutHints(stderr string) string {
	lines := slices.DeleteFunc(strings.SplitAfter(stderr, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "hint: ")
	})
	return strings.Join(lines, "")
}

func firstDifference(what, theirs, ours string) string {
	a, b := strings.Split(theirs, "\n"), strings.Split(ours, "\n")
	for n := range max(len(a), len(b)) {
		at := func(lines []string) string {
			if n < len(lines) {
				return fmt.Sprintf("%.400q", lines[n])
			}
			return "nothing"
		}
		if at(a) != at(b) {
			return fmt.Sprintf("%s, line %d:\n  kubectl: %s\n  we:      %s\n", what, n+1, at(a), at(b))
		}
	}
	return ""
}

func TestListPrintsWhatKubectlGetPrintsForEveryTypeInEveryFormat(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs kubectl for every type and format")
	}
	types := strings.Fields(kubectl(t, fixture.admin, "api-resources", "--verbs=list", "-o", "name").Stdout)
	if len(types) < 40 {
		t.Fatalf("the server lists %d types only: %v", len(types), types)
	}
	oracle := startOracle(t)
	differences := make([][]string, len(types))
	t.Run("types", func(t *testing.T) {
		for n, resource := range types {
			t.Run(resource, func(t *testing.T) {
				t.Parallel()
				for column, format := range formatsOf(t, oracle, resource) {
					ask := oracle
					if column == 0 {
						ask = kubectlItself // so that all that is not get itself is kubectl's too
					}
					question := append([]string{resource, "-A"}, format...)
					if difference := same(t, ask, question...); difference != "" {
						differences[n] = append(differences[n], strings.Join(format, " "))
						t.Errorf("%s: %s", strings.Join(question, " "), difference)
					}
				}
			})
		}
	})
	printMatrix(t, types, differences)
}

// emptyTypes are tried in every format even without objects; of the others that
// have none, each format would print the same again.
var emptyTypes = []string{"validatingwebhookconfigurations.admissionregistration.k8s.io", "resourceclaims.resource.k8s.io"}

func formatsOf(t *testing.T, ask asker, resource string) [][]string {
	t.Helper()
	none := ask(t, "get", resource, "-A", "-o", "name").Stdout == ""
	if none && !slices.Contains(emptyTypes, resource) {
		return formats[:3]
	}
	return formats
}

// printMatrix says for how many formats each type is printed as kubectl does.
func printMatrix(t *testing.T, types []string, differences [][]string) {
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 8, 2, ' ', 0)
	total := 0
	for n, resource := range types {
		fmt.Fprintf(w, "%s\t%d differences\t%s\n", resource, len(differences[n]), strings.Join(differences[n], "; "))
		total += len(differences[n])
	}
	_ = w.Flush()
	t.Logf("formats in which list differs from kubectl get, of %d types (%d differences):\n%s", len(types), total, &table)
}

func TestListAnswersEveryQuestionAsKubectlGetDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs kubectl for every type and format")
	}
	for _, question := range questions {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			if difference := same(t, kubectlItself, words(question)...); difference != "" {
				t.Error(difference)
			}
		})
	}
}

// Of the pages after the first, cells come apart from the objects they belong to.
func TestATableInPagesIsTheTableInOnePage(t *testing.T) {
	for _, resource := range []string{"pods", "deployments", "services", "nodes", "clusterroles", "clusterrolebindings", "customresourcedefinitions", "widgets", "events"} {
		t.Run(resource, func(t *testing.T) {
			question := []string{"list", resource, "-A", "-o", "wide", "--show-labels"}
			var once, inPages harness.Result
			for range tries {
				once = informer(t, fixture.admin, question...)
				inPages = informer(t, fixture.admin, append(question, "--chunk-size", "7")...)
				after := informer(t, fixture.admin, question...)
				if once.Code == 0 && strings.Count(once.Stdout, "\n") > 2 && once.Stderr == inPages.Stderr &&
					harness.SameButForAges(once.Stdout, inPages.Stdout, after.Stdout) {
					return
				}
			}
			t.Errorf("%s%s", firstDifference("stdout", once.Stdout, inPages.Stdout), firstDifference("stderr", once.Stderr, inPages.Stderr))
		})
	}
}

// words splits a question as a shell would, as far as single quotes go.
func words(line string) (words []string) {
	for n, part := range strings.Split(line, "'") {
		if n%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// questions are asked of kubectl get and of list, in the namespace shop.
var questions = []string{
	// Types, names, lists, categories.
	"pods", "pod", "po", "Pod", "pods.v1.", "deployments.apps", "deployments.v1.apps", "deploy.apps",
	"deployments,services", "pods,svc,cm -o wide", "all", "all -A", "all -o name", "nodes,pods", "ns,nodes",
	"deployment web", "deployment/web", "deployment/web service/web", "cm web-config cart-config",
	"cm/web-config secret/db-password -o json", "deployment web -o yaml", "deployment web -o name",
	"deployment web -o jsonpath={.spec.replicas}", "deploy/web svc/web -o jsonpath={.items[*].kind}",
	// Namespaces.
	"pods -n batch", "pods -A", "nodes -n batch", "pods,nodes -A", "pods -n nowhere", "ns shop", "ns/shop -o json",
	// Selectors.
	"pods -l tier=front", "pods -l 'tier in (front,middle)'", "pods -l tier!=front -o name", "pods -l nope=nope",
	"pods --field-selector status.phase=Running", "pods --field-selector metadata.name=nope",
	"pods --field-selector spec.size=3", "pods -l '!!'", "pods --field-selector '!!'", "deployment web -l tier=front",
	// Nothing found.
	"deployment nope", "deployment/nope deployment/nada", "deployment/web deployment/nope",
	"deployment/web deployment/nope -o json", "deployment/nope -o yaml", "deployment/nope --ignore-not-found",
	"deployment/nope --ignore-not-found -o json", "deployment/web deployment/nope --ignore-not-found -o name",
	"limitranges", "limitranges -A", "limitranges -o json", "limitranges -o yaml", "limitranges -o name",
	"limitranges,resourcequotas", "limitranges --ignore-not-found", "limitranges -o wide --no-headers",
	// Mistakes.
	"nope", "nope/x", "pods nope.v1.example.com", "web -A", "pods web -A", "pods/ x", "pods,", ",pods", "pods -o nope",
	"pods -o jsonpath", "pods -o jsonpath={", "pods -o go-template={{", "pods -o custom-columns", "pods -o custom-columns=NAME",
	"pods --show-labels -o json", "pods -L tier -o custom-columns=N:.metadata.name",
	"pods --template={{.kind}}", "pods -o go-template", "pods --chunk-size=-1",
	// Printing.
	"pods --show-kind", "pods --no-headers", "pods --show-labels", "pods -L tier", "pods -L tier -L nope --show-labels",
	"pods,deploy --show-kind --no-headers", "pods,deploy --no-headers", "deploy,limitranges,svc",
	"pods --sort-by=.metadata.name", "pods --sort-by=.spec.nodeName -o wide", "pods,svc --sort-by=.metadata.name -o name",
	"deploy --sort-by=.spec.replicas", "pods -A --sort-by={.metadata.creationTimestamp} -o name",
	"pods --sort-by=.status.startTime -o custom-columns=N:.metadata.name",
	"pods -o jsonpath={.items[*].nope}", "pods -o jsonpath={.items[*].metadata.nope} --allow-missing-template-keys=false",
	"pods -o go-template={{.nope}} --allow-missing-template-keys=false", "pods -o JSON",
	"deploy -o custom-columns=N:.metadata.name,T:.metadata.labels.tier --no-headers",
	"pods --chunk-size=2", "pods --chunk-size=2 -o json", "pods -A --chunk-size=0",
	// Subresources, and tables without the server's help.
	"deployment web --subresource status", "deployment web --subresource scale", "deployment web --subresource scale -o json",
	"deployment web --subresource scale -o name", "deployment/web --subresource status -o yaml",
	"deployments --subresource status", "deployment nope --subresource scale", "cm web-config --subresource status",
	"deployment nope --subresource scale --ignore-not-found",
	"pods --server-print=false", "pods -A --server-print=false -o wide", "pods,svc --server-print=false --show-labels",
	"deployment web --server-print=false -L tier", "pods -n batch -l app --server-print=false --no-headers",
	// A custom resource.
	"widgets", "widgets -A -o wide", "wg -o name",
}
