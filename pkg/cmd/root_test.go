package cmd

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// invoke runs the program in this process, without a cluster.
func invoke(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	in, out, errOut := &bytes.Buffer{}, &bytes.Buffer{}, &bytes.Buffer{}
	t.Setenv("KUBECONFIG", "/dev/null")
	code = Main(t.Context(), args, process.Streams{IOStreams: genericiooptions.IOStreams{In: in, Out: out, ErrOut: errOut}})
	return out.String(), errOut.String(), code
}

func TestHelpCallsTheProgramAsItWasCalled(t *testing.T) {
	for path, name := range map[string]string{
		"/usr/local/bin/kubectl-informer": "kubectl informer",
		`kubectl-informer.exe`:            "kubectl informer",
		"/tmp/informer":                   "informer",
	} {
		for _, command := range [][]string{{"--help"}, {"list", "--help"}, {"tail", "-h"}} {
			stdout, _, code := invoke(t, append([]string{path}, command...)...)
			if code != 0 || !strings.Contains(stdout, `Use "`+name+` options"`) {
				t.Errorf("%s %v: code %d:\n%s", path, command, code, stdout)
			}
			if name == "kubectl informer" && strings.Contains(stdout, "kubectl-informer") {
				t.Errorf("%s %v names the binary:\n%s", path, command, stdout)
			}
		}
	}
}

func TestEveryConnectionFlagOfKubectlIsThere(t *testing.T) {
	stdout, _, _ := invoke(t, "kubectl-informer", "options")
	for _, flag := range []string{
		"as", "as-group", "as-uid", "as-user-extra", "cache-dir", "certificate-authority", "client-certificate",
		"client-key", "cluster", "context", "disable-compression", "insecure-skip-tls-verify", "kubeconfig",
		"password", "request-timeout", "server", "tls-server-name", "token", "user", "username", "v", "vmodule",
		"warnings-as-errors",
	} {
		if !strings.Contains(stdout, "--"+flag+"=") {
			t.Errorf("no flag --%s", flag)
		}
	}
}

func TestMistakesAreErrorsBeforeAnythingIsAsked(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"list", "--nope"}, "error: unknown flag: --nope\nSee 'kubectl informer list --help' for usage.\n"},
		{[]string{"lst"}, `error: unknown command "lst" for "kubectl informer"`},
		{[]string{"list", "pods", "-o", "jsn"}, `unable to match a printer suitable for the output format "jsn"`},
		{[]string{"list", "pods", "--by", "node"}, `error: invalid --by "node"`},
		{[]string{"list", "pods", "--index", "node={.x}"}, `"node" is a built-in index`},
		{[]string{"tail", "pods", "--resync", "10ms"}, "error: --resync must be at least 1s, got 10ms"},
		{[]string{"tail", "pods", "--events", "changed"}, `error: --events: unknown type "changed"`},
		{[]string{"tail", "pods", "--timeout", "-1s"}, "error: --timeout must not be negative"},
		{[]string{"tail", "pods", "--max-events", "-1"}, "error: --max-events must not be negative"},
		{[]string{"tail", "pods", "--max-pending", "0"}, "error: --max-pending must be at least 1"},
		{[]string{"list", "pods", "-w", "--count-by", "node"}, "error: --count-by cannot be used with --watch: "},
		{[]string{"list", "pods", "-w", "--exit-status"}, "error: --exit-status cannot be used with --watch: "},
		{[]string{"list", "pods", "--watch-only", "--exit-status"}, "error: --exit-status cannot be used with --watch: "},
		{[]string{"list", "pods", "-w", "--limit", "3"}, "error: --limit cannot be used with --watch: "},
		{[]string{"list", "pod", "a", "-w", "--subresource", "status"}, "error: --subresource cannot be used with --watch: "},
		{[]string{"list", "pods", "--count-by", "node", "--sort-by", ".spec.nodeName"}, "error: --sort-by cannot be used with --count-by: "},
		{[]string{"list", "pods", "--count-by", "node", "-L", "app"}, "error: --label-columns cannot be used with --count-by: "},
		{[]string{"wait", "pods", "--for", "delete", "--all", "--any"}, "error: --all and --any may not be used together"},
		{[]string{"wait", "pods", "--for", "delete", "--any", "--none", "--count", "1"}, "error: --any and --none and --count may not be used together"},
		{[]string{"wait", "pods", "--for", "delete", "--count", ""}, "error: --count must be N, =N or >=N"},
		{[]string{"wait", "pods", "--for", "delete", "--all=false"}, "error: --all=false needs one of --any, --none and --count"},
		{[]string{"wait", "pods", "--for", "delete", "--all=false", "--any=false"}, "error: --all=false needs one of --any, --none and --count"},
		{[]string{"version", "-o", "xml"}, "error: --output must be 'yaml' or 'json'"},
	} {
		stdout, stderr, code := invoke(t, append([]string{"kubectl-informer"}, test.args...)...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: code %d, stdout %q, stderr %q", test.args, code, stdout, stderr)
		}
	}
}

func TestVersionNamesClientGo(t *testing.T) {
	for _, format := range []string{"", "json", "yaml"} {
		stdout, stderr, code := invoke(t, "kubectl-informer", "version", "-o", format)
		if code != 0 || stderr != "" || !strings.Contains(stdout, "v0.0.0-dev") || !strings.HasSuffix(stdout, "\n") {
			t.Errorf("-o %q: code %d, stdout %q, stderr %q", format, code, stdout, stderr)
		}
	}
}

func TestACallByTheCompletersNameIsARequestForCompletions(t *testing.T) {
	got := arguments([]string{"/usr/bin/kubectl_complete-informer", "li"})
	if !slices.Equal(got, []string{"__complete", "li"}) {
		t.Errorf("got %q", got)
	}
	stdout, _, code := invoke(t, "kubectl_complete-informer", "li")
	if code != 0 || !strings.HasPrefix(stdout, "list\t") {
		t.Errorf("code %d, stdout %q", code, stdout)
	}
}

func TestATypeInTheCommandsPlaceIsListed(t *testing.T) {
	for _, test := range []struct {
		words []string
		word  string
	}{
		{[]string{"pods"}, "pods"},
		{[]string{"po"}, "po"},
		{[]string{"Deployment"}, "Deployment"},
		{[]string{"deployments.apps"}, "deployments.apps"},
		{[]string{"deployments.v1.apps"}, "deployments.v1.apps"},
		{[]string{"pods,svc"}, "pods,svc"},
		{[]string{"pod/web-0"}, "pod/web-0"},
		{[]string{"all"}, "all"},
		{[]string{"pods", "web-0", "-n", "shop", "--by", "node=a"}, "pods"},
		{[]string{"--context", "east", "pods", "-A"}, "pods"},
		{[]string{"-n", "shop", "pods"}, "pods"},
	} {
		stdout, stderr, code := invoke(t, append([]string{"kubectl-informer"}, test.words...)...)
		want := `error: unknown command "` + test.word + `" for "kubectl informer"` + "\n" + `hint: did you mean "list ` + test.word + `"?` + "\n"
		if code != 1 || stdout != "" || stderr != want {
			t.Errorf("%q: code %d, stdout %q, stderr %q, want %q", test.words, code, stdout, stderr, want)
		}
	}
}

func TestAWordThatNamesNothingIsAnUnknownCommandInKubectlsWords(t *testing.T) {
	for word, want := range map[string]string{
		"frob":     `error: unknown command "frob" for "kubectl informer"` + "\n",
		"frob/x":   `error: unknown command "frob/x" for "kubectl informer"` + "\n",
		"lst":      `error: unknown command "lst" for "kubectl informer"` + "\n\nDid you mean this?\n\tlist\n",
		"pods/a/b": `error: unknown command "pods/a/b" for "kubectl informer"` + "\n",
	} {
		stdout, stderr, code := invoke(t, "kubectl-informer", word)
		if code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: code %d, stdout %q, stderr %q", word, code, stdout, stderr)
		}
	}
}

func TestNoClusterIsAskedWhetherABuiltInTypeIsOne(t *testing.T) {
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		http.Error(w, "no", http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	connection := writeKubeconfig(t, server.URL, clientcmdapi.AuthInfo{})
	for _, words := range [][]string{{"pods"}, {"deploy/web"}, {"lst"}} {
		invoke(t, slices.Concat([]string{"kubectl-informer"}, connection, words)...)
		if len(asked) > 0 {
			t.Errorf("%q: the server was asked for %s", words, <-asked)
		}
	}
	_, stderr, code := invoke(t, slices.Concat([]string{"kubectl-informer"}, connection, []string{"widgets"})...)
	if want := `error: unknown command "widgets" for "kubectl informer"` + "\n"; code != 1 || stderr != want || len(asked) == 0 {
		t.Errorf("code %d, stderr %q, asked %d times", code, stderr, len(asked))
	}
}
