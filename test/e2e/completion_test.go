package e2e

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// What a shell is told beside the words: cobra's directives, as numbers.
const (
	space   = ":4"
	noSpace = ":6"
	inOrder = ":36"
	aFile   = ":0"
)

// askedByShell asks the plugin, in this process, what a shell asks it. The last
// word is the one that is being typed. Connection flags follow the command's name.
func askedByShell(t *testing.T, kubeconfig string, words ...string) harness.Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	connection := []string{"--kubeconfig", kubeconfig, "--cache-dir", fixture.home + "/.kube/cache"}
	args := slices.Concat([]string{"kubectl-informer", "__complete", words[0]}, connection, words[1:])
	inProcess.Lock()
	defer inProcess.Unlock()
	code := cmd.Main(t.Context(), args, process.Streams{IOStreams: genericiooptions.IOStreams{
		In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr,
	}})
	return harness.Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: code}
}

// choices are the words of an answer, without descriptions, and the directive.
func choices(answer harness.Result) []string {
	var words []string
	for line := range strings.Lines(answer.Stdout) {
		word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		words = append(words, word)
	}
	return words
}

// checkCompletion asks until the answer is the wanted one: on a machine that is
// busy with other tests an answer may not be found in time.
func checkCompletion(t *testing.T, kubeconfig string, words []string, want ...string) {
	t.Helper()
	var answer harness.Result
	for range tries {
		answer = askedByShell(t, kubeconfig, words...)
		if answer.Code != 0 || answer.Stderr != "" {
			t.Fatalf("%q: code %d, stderr %q", words, answer.Code, answer.Stderr)
		}
		if slices.Equal(choices(answer), want) {
			return
		}
	}
	t.Errorf("%q: got %q, want %q", words, choices(answer), want)
}

func TestCompletionOffersWhatTheClusterHas(t *testing.T) {
	var holding []string
	users := informer(t, fixture.admin, "list", "deploy", "--by", "configmap!=", "-o", "jsonpath={.items[*].metadata.name}")
	for _, name := range strings.Fields(users.Stdout) {
		holding = append(holding, "configmap=@deploy/"+name)
	}
	if holding = append(holding, space); len(holding) < 2 || len(holding) > 4 {
		t.Fatalf("%q of the deployments use a ConfigMap", users.Stdout)
	}
	for _, test := range []struct {
		name  string
		words []string
		want  []string
	}{
		{"a type", []string{"list", "deploym"}, []string{"deployments", space}},
		{"a custom type", []string{"list", "widg"}, []string{"widgets", space}},
		{"one more type of a list", []string{"list", "pods,dep"}, []string{"pods,deployments", space}},
		{"no type twice", []string{"list", "deployments,depl"}, []string{space}},
		{"a short name that begins no type's", []string{"list", "svc"}, []string{"svc", space}},
		{"a type with its group", []string{"tail", "deployments.a"}, []string{"deployments.apps", space}},
		{"types of one name", []string{"list", "event"}, []string{"events", "events.events.k8s.io", space}},
		{"a category", []string{"list", "al"}, []string{"all", space}},
		{"no type that cannot be listed", []string{"list", "selfsubject"}, []string{space}},

		{"names", []string{"list", "deployments", ""}, []string{"cart", "images", "legacy", "web", space}},
		{"names by a short name", []string{"tail", "deploy", "w"}, []string{"web", space}},
		{"no name twice", []string{"list", "deployments", "web", "cart", ""}, []string{"images", "legacy", space}},
		{"names in another namespace", []string{"list", "deployments", "-n", "dev", ""}, []string{"playground", space}},
		{"names in two namespaces", []string{"list", "deployments", "-n", "dev,shop", ""}, []string{"cart", "images", "legacy", "playground", "web", space}},
		{"names of two types", []string{"list", "deployments,services", "p"}, []string{"payments", space}},
		{"no names in all namespaces", []string{"list", "deployments", "-A", ""}, []string{space}},
		{"TYPE/NAME", []string{"list", "deploy/c"}, []string{"deploy/cart", space}},
		{"the type of another TYPE/NAME", []string{"list", "deploy/web", "deploym"}, []string{"deployments/", noSpace}},
		{"another TYPE/NAME", []string{"list", "deploy/web", "deploy/"}, []string{"deploy/cart", "deploy/images", "deploy/legacy", space}},

		{"a namespace", []string{"list", "pods", "-n", "sh"}, []string{"shop", space}},
		{"another namespace", []string{"list", "pods", "-n", "shop,ba"}, []string{"shop,batch", space}},
		{"a namespace after =", []string{"list", "pods", "--namespace=ba"}, []string{"batch", space}},

		{"an index", []string{"list", "pods", "--by", "no"}, []string{"node=", noSpace}},
		{"an index to be excluded", []string{"list", "pods", "--by", "node!"}, []string{"node!=", noSpace}},
		{"an index of two types", []string{"list", "pods,deployments", "--by", "p"}, []string{"pvc=", noSpace}},
		{"an index that is defined", []string{"list", "pods", "--index", "zone=.spec.x", "--by", "zo"}, []string{"zone=", noSpace}},
		{"an index to count by", []string{"list", "pods", "--count-by", "no"}, []string{"node", space}},
		{"no index before a type", []string{"list", "--by", ""}, []string{space}},

		{"the values of a label", []string{"list", "deployments", "--by", "label=tier="}, []string{"label=tier=front", "label=tier=middle", inOrder}},
		{"values after two =", []string{"list", "deployments", "--by=label=tier=m"}, []string{"label=tier=middle", inOrder}},
		{"values with a colon", []string{"list", "pods", "-l", "tier=middle", "--by", "image!=cart"}, []string{"image!=cart:2.4.1", inOrder}},
		{"the values of a path", []string{"list", "deploy", "web", "--by", "spec.replicas="}, []string{"spec.replicas=4", inOrder}},
		{"values in all namespaces", []string{"list", "deploy", "-A", "--by", "name=pl"}, []string{"name=playground", inOrder}},
		{"the values of an index that is defined",
			[]string{"list", "deploy", "--index", `app={.metadata.labels.app\.kubernetes\.io/name}`, "--by", "app=w"}, []string{"app=web", inOrder}},
		{"no values of an index that the type cannot have", []string{"list", "services", "--by", "node="}, []string{space}},
		{"the type of an object that has the value", []string{"list", "pods", "--by", "node=@deploym"}, []string{"node=@deployments/", noSpace}},
		{"an object that has the value", []string{"list", "cm", "--by", "configmap=@deploy/w"}, []string{"configmap=@deploy/web", space}},

		{"no type that cannot have the index", []string{"list", "pods", "--by", "node=@serv"}, []string{noSpace}},
		{"no object without the value", []string{"list", "cm", "--by", "configmap=@deploy/"}, holding},
		{"an object of another namespace", []string{"list", "cm", "--by", "name=@deploy/dev/"}, []string{"name=@deploy/dev/playground", space}},

		{"the key of a label", []string{"list", "deploy", "-l", "ti"}, []string{"tier=", noSpace}},
		{"the values of a label to select by", []string{"list", "deploy", "-l", "tier="}, []string{"tier=front", "tier=middle", space}},
		{"values to be excluded", []string{"tail", "deploy", "--selector=tier!=m"}, []string{"tier!=middle", space}},
		{"values of those selected so far", []string{"list", "deploy", "-l", "tier=middle,app.kubernetes.io/name="},
			[]string{"tier=middle,app.kubernetes.io/name=cart", space}},
		{"a column", []string{"list", "deploy", "-L", "ti"}, []string{"tier", space}},
		{"another column", []string{"list", "deploy", "--label-columns", "tier,app.kubernetes.io/n"}, []string{"tier,app.kubernetes.io/name", space}},

		{"the beginning of a condition", []string{"wait", "deploy", "--for", "con"}, []string{"condition=", noSpace}},
		{"a condition that is a word", []string{"wait", "deploy", "--for=de"}, []string{"delete", space}},
		{"a condition that objects have", []string{"wait", "deploy", "--for", "condition=Av"}, []string{"condition=Available", space}},
		{"a condition behind a flag's =", []string{"wait", "pods", "--for=condition=Rea"}, []string{"condition=Ready", space}},
		{"a condition's status", []string{"wait", "deploy", "web", "--for=condition=Available="}, []string{"condition=Available=True", space}},
		{"a path to wait for", []string{"wait", "deploy", "web", "--for=jsonpath=.status.readyRep"}, []string{"jsonpath=.status.readyReplicas=", noSpace}},

		{"a field that changes", []string{"tail", "deploy", "--changed", "spec.repl"}, []string{"spec.replicas", space}},
		{"what leads to fields", []string{"tail", "deploy", "--changed", "spec.temp"}, []string{"spec.template.", noSpace}},
		{"the elements of an array", []string{"tail", "pods", "--changed", "spec.contai"}, []string{"spec.containers[*].", noSpace}},
		{"a field of an element", []string{"list", "pods", "--sort-by", "spec.containers[0].ima"},
			[]string{"spec.containers[0].image", "spec.containers[0].imagePullPolicy", space}},
		{"a field to sort by, descending", []string{"list", "deploy", "--sort-by=-.spec.repl"}, []string{"-.spec.replicas", space}},
		{"a field of a custom type", []string{"list", "widgets", "--sort-by", ".spec.col"}, []string{".spec.color", space}},
		{"a field that two types have", []string{"list", "deploy,pods", "--sort-by", ".spec.template"}, []string{space}},
		{"a path for an index", []string{"list", "pods", "--by", "spec.nodeN"}, []string{"spec.nodeName=", noSpace}},
		{"a path to count by", []string{"list", "pods", "--count-by", "namespace,spec.nodeN"}, []string{"namespace,spec.nodeName", space}},
		{"the first step of a path", []string{"list", "pods", "--count-by", "spe"}, []string{"spec.", noSpace}},

		{"a context", []string{"list", "--context", "li"}, []string{"lister", space}},
		{"a cluster", []string{"list", "--cluster", ""}, []string{"test", space}},
		{"a user", []string{"list", "--user", "v"}, []string{"viewer", space}},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkCompletion(t, fixture.admin, test.words, test.want...)
		})
	}
}

func TestCompletionOffersTheValuesThatCountByPrintsInItsOrder(t *testing.T) {
	counts := informer(t, fixture.admin, "list", "pods", "--count-by", "node", "-o", "name")
	nodes := strings.Fields(counts.Stdout)
	if counts.Code != 0 || len(nodes) < 2 {
		t.Fatalf("the pods are on the nodes %q: %q", nodes, counts.Stderr)
	}
	for _, operator := range []string{"=", "!="} {
		var want []string
		for _, node := range nodes {
			want = append(want, "node"+operator+node)
		}
		checkCompletion(t, fixture.admin, []string{"list", "pods", "--by", "node" + operator}, append(want, inOrder)...)
	}
}

func TestCompletionIsSilentAboutWhatAUserMayNotRead(t *testing.T) {
	nobody, err := fixture.cluster.Kubeconfig(cluster.Nobody, cluster.KubeconfigOptions{Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	checkCompletion(t, nobody, []string{"list", "deploym"}, "deployments", space)
	for _, words := range [][]string{
		{"list", "deployments", ""},
		{"list", "deployments/"},
		{"list", "pods", "-n", ""},
		{"list", "pods", "--by", "node="},
		{"list", "pods", "--by", "node=@pods/"},
		{"list", "pods", "-l", ""},
		{"list", "pods", "-L", ""},
		{"wait", "pods", "--for=condition="},
	} {
		for _, words := range [][]string{words, append([]string{words[0], "--token", "unknown"}, words[1:]...)} {
			if answer := askedByShell(t, nobody, words...); answer != (harness.Result{Stdout: space + "\n"}) {
				t.Errorf("%q: %+v", words, answer)
			}
		}
	}
}

func TestCompletionOfOneNamespaceIsNotHiddenByAnotherThatIsForbidden(t *testing.T) {
	dev, err := fixture.cluster.Kubeconfig(cluster.Dev, cluster.KubeconfigOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkCompletion(t, dev, []string{"list", "deployments", "-n", "shop,dev", ""}, "playground", space)
}

func TestCompletionIsSilentAboutATypeThatIsNotThere(t *testing.T) {
	for _, words := range [][]string{
		{"list", "nopes", ""},
		{"list", "nopes/"},
		{"tail", "nopes", "--by", ""},
		{"list", "nopes", "--by", "node="},
		{"list", "pods,nopes", "--count-by", ""},
	} {
		if answer := askedByShell(t, fixture.admin, words...); answer != (harness.Result{Stdout: space + "\n"}) {
			t.Errorf("%q: %+v", words, answer)
		}
	}
}

// After utkuozdemir/pv-migrate#289: a plugin that completes by itself may yet
// leave kubectl to offer files.
func TestCompletionWorksThroughKubectl(t *testing.T) {
	for _, test := range []struct{ words, want []string }{
		{[]string{"lis"}, []string{"list", space}},
		{[]string{"list", "deploym"}, []string{"deployments", space}},
		{[]string{"list", "deploy", ""}, []string{"cart", "images", "legacy", "web", space}},
		{[]string{"list", "pods", "-n", "sh"}, []string{"shop", space}},
		{[]string{"list", "pods", "--by", "nod"}, []string{"node=", noSpace}},
		{[]string{"list", "deploy", "--by", "label=tier="}, []string{"label=tier=front", "label=tier=middle", inOrder}},
		{[]string{"tail", "pods", "--", "ca"}, []string{aFile}},
	} {
		var answer harness.Result
		for range tries {
			answer = kubectl(t, fixture.admin, append([]string{"__complete", "informer"}, test.words...)...)
			if slices.Equal(choices(answer), test.want) {
				break
			}
		}
		if !slices.Equal(choices(answer), test.want) {
			t.Errorf("%q: got %q, want %q", test.words, choices(answer), test.want)
		}
		ours := slices.DeleteFunc(strings.Split(answer.Stderr, "\n"), func(line string) bool {
			return line == "" || strings.HasPrefix(line, "[Debug] ") || strings.HasPrefix(line, "Completion ended ")
		})
		if len(ours) > 0 || strings.Count(answer.Stderr, "Completion ended ") != 1 {
			t.Errorf("%q: stderr has more than kubectl's own lines:\n%s", test.words, answer.Stderr)
		}
	}
}

// bashAsks is a bash in which the words of its arguments have been typed, the last
// one up to a Tab. The first of them is the program whose script completes them. bash-completion's function that finds them is played here; it
// too joins what bash takes apart at = and at a colon. What bash would put in
// place of the part behind the last of these is printed, a word a line.
const bashAsks = `
line=("$@")
_get_comp_words_by_ref() {
	words=("${line[@]}")
	cword=$((${#words[@]} - 1))
	cur=${words[cword]}
	prev=${words[cword - 1]}
}
source "$SCRIPTS/$1"
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
COMP_TYPE=9
COLUMNS=80
"__start_$1" 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
`

func TestCompletionInBashPutsInOnlyWhatFollowsTheLastEqualSignOrColon(t *testing.T) {
	scripts := completionScripts(t, "bash")
	for _, test := range fewer([]struct {
		words []string
		want  string
	}{
		{[]string{"--by", "nod"}, "node=\n"},
		{[]string{"--by", "label=tier=m"}, "middle\n"},
		{[]string{"--by=label=tier=m"}, "middle\n"},
		{[]string{"--by", "image=cart:2"}, "2.4.1\n"},
		{[]string{"-l", "tier=m"}, "middle\n"},
		{[]string{"-L", "ti"}, "tier\n"},
		{[]string{"--sort-by", ".spec.nodeN"}, ".spec.nodeName\n"},
		{[]string{"--sort-by=-.spec.contai"}, `-.spec.containers\[\*\].` + "\n"},
		{[]string{"--sort-by", ".spec.containers[*].livenessP"}, `.spec.containers\[\*\].livenessProbe.` + "\n"},
		{[]string{"--sort-by", `.spec.containers\[\*\].livenessP`}, `.spec.containers\[\*\].livenessProbe.` + "\n"},
		{[]string{"--by", "node=@deploym"}, "@deployments/\n"},
		{[]string{"--by", "label=tier="}, "front   (5 objects)\nmiddle  (3 objects)\nback    (2 objects)\n"},
	}) {
		for _, program := range [][]string{{"kubectl-informer"}, {"kubectl", "informer"}} {
			words := slices.Concat(program, []string{"list", "pods"}, test.words)
			t.Run(strings.Join(words, " "), func(t *testing.T) {
				t.Parallel()
				var answer string
				for range tries {
					answer = shell(t, fixture.admin, []string{scripts}, "bash", append([]string{"-c", bashAsks, "bash"}, words...)...)
					if answer == test.want {
						return
					}
				}
				t.Errorf("got %q, want %q", answer, test.want)
			})
		}
	}
}
