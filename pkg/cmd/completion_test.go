package cmd

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/completion"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

func TestCompletionOffersWhatIsKnownWithoutAServer(t *testing.T) {
	connection := writeKubeconfig(t, closedPort(t), clientcmdapi.AuthInfo{})
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{"list", "--context", "e"}, "east\nebb\n:4\n"},
		{[]string{"list", "--context", "ea"}, "east\n:4\n"},
		{[]string{"list", "--contexts", "e"}, "east\nebb\n:4\n"},
		{[]string{"query", "--contexts", "east,"}, "east,ebb\neast,all\n:4\n"},
		{[]string{"list", "--cluster", "arn:"}, "arn:aws:eks:west\n:4\n"},
		{[]string{"tail", "--user="}, "me\n:4\n"},
		{[]string{"tail", "pods", "--events", "added,d"}, "added,deleted\n:4\n"},
		{[]string{"tail", "pods", "--events", ""}, "added\nmodified\ndeleted\nresync\n:4\n"},
		{[]string{"list", "pods", "-o", "ya"}, "yaml\n:4\n"},
		{[]string{"wait", "pods", "--for", ""}, "cel=\ncondition=\njsonpath=\ncreate\ndelete\nready\nrollout\n:6\n"},
		{[]string{"wait", "pods", "--for=d"}, "delete\n:4\n"},
		{[]string{"wait", "pods", "--for", "cel="}, "cel=\n:6\n"},
		{[]string{"version", "-o", ""}, "json\nyaml\n:4\n"},
		{[]string{"indexes", "pods", "-o", "n"}, "name\n:4\n"},
		{[]string{"indexes", "pods", ""}, ":4\n"},
		{[]string{"completion", "z"}, "zsh\tGenerate the autocompletion script for zsh\n:4\n"},
	} {
		stdout, stderr, code := invoke(t, slices.Concat([]string{"kubectl_complete-informer", test.words[0]}, connection, test.words[1:])...)
		if stdout != test.want || stderr != "" || code != 0 {
			t.Errorf("%q: code %d, stdout %q, stderr %q", test.words, code, stdout, stderr)
		}
	}
}

// savedPods are manifests for --from.
const savedPods = `
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, annotations: {note: "$(reboot)"}}
spec: {nodeName: node-a}
---
apiVersion: v1
kind: Pod
metadata: {name: web-2, namespace: shop, annotations: {at: "@home"}}
spec: {nodeName: node-b}
---
apiVersion: v1
kind: Pod
metadata: {name: db-1, namespace: data}
spec: {nodeName: node-b}
`

func TestCompletionOffersWhatADumpHas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pods.yaml")
	if err := os.WriteFile(path, []byte(savedPods), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{"list", "nod"}, "nodes\n:4\n"},
		{[]string{"list", "pods", "web-1", ""}, "db-1\nweb-2\n:4\n"},
		{[]string{"query", "pods", "-n", "data", ""}, "db-1\n:4\n"},
		{[]string{"list", "pods/w"}, "pods/web-1\npods/web-2\n:4\n"},
		{[]string{"list", "pods", "--by", "nod"}, "node=\n:6\n"},
		{[]string{"list", "pods", "--count-by", "nod"}, "node\n:4\n"},
		{[]string{"list", "pods", "--by", "node="}, "node=node-b\nnode=node-a\n:36\n"},
		{[]string{"list", "pods", "--by", "node=@pods/d"}, "node=@pods/db-1\n:4\n"},
		{[]string{"list", "pods", "--by", "annotation="},
			"annotation=at\nannotation=at=@home\nannotation=note\n:36\n"},
		{[]string{"list", "pods", "--by", "metadata.annotations.at="}, "metadata.annotations.at=@@home\n:36\n"},
	} {
		args := slices.Concat([]string{"kubectl-informer", "__completeNoDesc", test.words[0], "--from", path}, test.words[1:])
		stdout, stderr, code := invoke(t, args...)
		if stdout != test.want || stderr != "" || code != 0 {
			t.Errorf("%q: code %d, stdout %q, stderr %q", test.words, code, stdout, stderr)
		}
	}
}

func TestCompletionOffersFilesOnlyWhereAFileIsMeant(t *testing.T) {
	for line, want := range map[string]string{
		"list pods -l":                             ":4",
		"list pods --field-selector":               ":4",
		"list pods --sort-by":                      ":4",
		"list pods --index":                        ":4",
		"tail pods --timeout":                      ":4",
		"list --token":                             ":4",
		"list --kubeconfig":                        ":0",
		"list --certificate-authority":             ":0",
		"list --client-certificate":                ":0",
		"tail --client-key":                        ":0",
		"list pods -o go-template-file --template": ":0",
		"list -f":                                  "json\nyaml\nyml\n:8",
		"list -k":                                  ":16",
		"list --from":                              ":0",
		"list --cache-dir":                         ":16",
		"tail pods --":                             ":0",
		"tail pods -- sh -c":                       ":0",
	} {
		args := append([]string{"kubectl_complete-informer"}, strings.Fields(line)...)
		stdout, stderr, code := invoke(t, append(args, "")...)
		if stdout != want+"\n" || stderr != "" || code != 0 {
			t.Errorf("%s: code %d, stdout %q, stderr %q", line, code, stdout, stderr)
		}
	}
}

func TestCompletionScriptsAreForTheProgramsOwnName(t *testing.T) {
	for shell, asks := range map[string]string{
		"bash":       "complete -o default -F __start_kubectl-informer kubectl-informer",
		"zsh":        "compdef _kubectl-informer kubectl-informer",
		"fish":       "complete -c kubectl-informer ",
		"powershell": "Register-ArgumentCompleter -CommandName 'kubectl-informer'",
	} {
		for _, program := range []string{"kubectl-informer", "/opt/renamed"} {
			stdout, stderr, code := invoke(t, program, "completion", shell)
			if code != 0 || stderr != "" || !strings.Contains(stdout, asks) {
				t.Errorf("%s completion %s: code %d, stderr %q, stdout\n%s", program, shell, code, stderr, stdout)
			}
		}
	}
	stdout, _, _ := invoke(t, "kubectl-informer", "completion", "--help")
	for _, said := range []string{completion.Program, `"kubectl informer"`, "source <(kubectl-informer completion bash)"} {
		if !strings.Contains(stdout, said) {
			t.Errorf("the help does not name %s:\n%s", said, stdout)
		}
	}
}

// A label's key with a dash was taken for a flag, and put before its value again.
func TestScriptsTakeAValueForAFlag(t *testing.T) {
	for _, shell := range []string{"zsh", "fish"} {
		for _, flags := range [][]string{nil, {"--no-descriptions"}} {
			stdout, stderr, code := invoke(t, append([]string{"kubectl-informer", "completion", shell}, flags...)...)
			if code != 0 || stderr != "" || strings.Count(stdout, `'^-[^=]*='`) != 1 || strings.Contains(stdout, `'-.*='`) {
				t.Errorf("%s %q: code %d, stderr %q, or not our expression in\n%s", shell, flags, code, stderr, stdout)
			}
			if described := strings.Contains(stdout, "__completeNoDesc"); described != (flags != nil) {
				t.Errorf("%s %q: descriptions are not as asked for:\n%s", shell, flags, stdout)
			}
		}
	}
}

func TestAShellWithoutCompletionIsAnError(t *testing.T) {
	stdout, stderr, code := askDump(t, nil, "", "completion tcsh")
	if code != 1 || stdout != "" || stderr != "error: unsupported shell type \"tcsh\": it can be one of bash, fish, powershell, zsh\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	stdout, stderr, code = askDump(t, nil, "", "completion")
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, "Print the script with which a shell completes") {
		t.Errorf("without a shell: code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// writeKubeconfig writes a kubeconfig for a server, and returns the flags that
// make a command use it and a discovery cache of its own.
func writeKubeconfig(t *testing.T, server string, user clientcmdapi.AuthInfo) []string {
	t.Helper()
	config := *clientcmdapi.NewConfig()
	config.Clusters["east"] = &clientcmdapi.Cluster{Server: server}
	config.Clusters["arn:aws:eks:west"] = &clientcmdapi.Cluster{Server: server}
	config.AuthInfos["me"] = &user
	config.Contexts["east"] = &clientcmdapi.Context{Cluster: "east", AuthInfo: "me", Namespace: "shop"}
	config.Contexts["ebb"] = &clientcmdapi.Context{Cluster: "east", AuthInfo: "me"}
	config.CurrentContext = "east"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(config, path); err != nil {
		t.Fatal(err)
	}
	return []string{"--kubeconfig", path, "--cache-dir", t.TempDir()}
}

// closedPort is the URL of a server that has gone.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

// needServer are requests for what only a server can tell.
var needServer = [][]string{
	{"list", "po"},
	{"list", "pods", ""},
	{"list", "pods/"},
	{"list", "pods", "-n", ""},
	{"tail", "pods", "--by", ""},
	{"tail", "pods", "--by", "node="},
	{"list", "pods", "--by", "node=@pods/"},
	{"list", "pods", "--count-by", ""},
	{"list", "pods", "--count-by", "spec."},
	{"list", "pods", "--sort-by", ".spec."},
	{"tail", "pods", "--changed", "spec."},
	{"list", "pods", "-l", ""},
	{"list", "pods", "-L", ""},
	{"wait", "pods", "--for", "condition="},
	{"wait", "pods", "--for", "jsonpath=."},
}

func checkSilence(t *testing.T, connection, words []string) {
	t.Helper()
	args := slices.Concat([]string{"kubectl_complete-informer", words[0]}, connection, words[1:])
	stdout, stderr, code := invoke(t, args...)
	if stdout != ":4\n" || stderr != "" || code != 0 {
		t.Errorf("%q: code %d, stdout %q, stderr %q", words, code, stdout, stderr)
	}
}

func TestCompletionIsSilentWhenTheServerIsAway(t *testing.T) {
	connection := writeKubeconfig(t, closedPort(t), clientcmdapi.AuthInfo{})
	for _, words := range needServer {
		checkSilence(t, connection, words)
	}
}

func TestCompletionIsSilentWithoutAnyConfiguration(t *testing.T) {
	for _, words := range needServer {
		checkSilence(t, []string{"--cache-dir", t.TempDir()}, words)
	}
}

func TestCompletionIsSilentWhenTheServerRefusesOrFails(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusServiceUnavailable} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Warning", `299 - "you are not known here"`)
			http.Error(w, "no", status)
		}))
		t.Cleanup(server.Close)
		connection := writeKubeconfig(t, server.URL, clientcmdapi.AuthInfo{Token: "old"})
		for _, words := range needServer {
			checkSilence(t, connection, words)
		}
	}
}

func TestCompletionDoesNotWaitForAServerThatNeverAnswers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		<-request.Context().Done()
	}))
	t.Cleanup(server.Close)
	connection := writeKubeconfig(t, server.URL, clientcmdapi.AuthInfo{})
	// Far more time than it may take, and less than a client of discovery's waits.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	args := slices.Concat([]string{completion.Program, "list"}, connection, []string{"pods", ""})
	code := Main(ctx, args, process.Streams{IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr}})
	if stdout.String() != ":4\n" || stderr.String() != "" || code != 0 || ctx.Err() != nil {
		t.Errorf("code %d, stdout %q, stderr %q, %v", code, &stdout, &stderr, ctx.Err())
	}
}
