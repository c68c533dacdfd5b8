package cmd

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

func TestAHintNamesTheCommandThatWasGiven(t *testing.T) {
	for args, want := range map[string]string{
		"list": "list", "get": "list", "tail": "tail", "watch": "tail", "wait --for=create": "wait", "query": "query", "indexes": "indexes",
	} {
		_, stderr, code := askDump(t, nil, "", args)
		if code != 1 || !strings.HasPrefix(stderr, "You must specify the type of resource") ||
			!strings.HasSuffix(stderr, "\nSee 'kubectl informer "+want+" -h' for help and examples\n") {
			t.Errorf("%s: code %d, stderr %q", args, code, stderr)
		}
	}
}

func TestAListIsNotToldToNeedTheRightToWatch(t *testing.T) {
	refused := &cache.SyncError{Target: somePods, Err: forbidden(), Fault: cache.Denied}
	for args, want := range map[string]string{
		"list": "[list]", "list -w": "[list, watch]", "list --watch-only": "[list, watch]", "list --watch=false": "[list]",
		"tail": "[list, watch]", "wait": "[list, watch]", "query": "[list, watch]",
	} {
		cmd, rest, err := NewRoot(process.Streams{}).Find(strings.Fields(args))
		if err != nil || cmd.ParseFlags(rest) != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if got := process.Hint(refused, process.AskedBy(cmd)); !strings.Contains(got, `resources: ["pods"], verbs: `+want+"}") {
			t.Errorf("%s: %s", args, got)
		}
	}
}

// secret is what no output may have, as it is or in base64.
const secret = "s3cretMarker"

func TestCredentialsAreInNoOutput(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusUnauthorized)
	}))
	defer refusing.Close()
	host := strings.TrimPrefix(refusing.URL, "http://")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kubeconfig := func(name, cluster, user string) string {
		return file(name, "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"+
			"clusters: [{name: c, cluster: {"+cluster+"}}]\nusers: [{name: u, user: {"+user+"}}]\n")
	}
	server := "server: " + refusing.URL
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	for name, flags := range map[string][]string{
		"--token":                     {"--server", refusing.URL, "--token", secret},
		"a --token that is no header": {"--server", refusing.URL, "--token", secret + "\nx"},
		"--password":                  {"--server", refusing.URL, "--username", "u", "--password", secret},
		"a password in --server":      {"--server", "http://u:" + secret + "@" + host},
		"a malformed --server":        {"--server", "http://u:" + secret + "@" + host + ":port"},
		"a proxy that is not there":   {"--server", "http://api.example:1", "--proxy-url", "http://u:" + secret + "@127.0.0.1:1"},
		"a proxy that refuses":        {"--server", "http://api.example:1", "--proxy-url", "http://u:" + secret + "@" + host},
		"a malformed --proxy-url":     {"--server", refusing.URL, "--proxy-url", "http://u:" + secret + "@h:x%%"},
		"a --proxy-url with a slash":  {"--server", refusing.URL, "--proxy-url", "http://u:/" + secret + "@h"},
		"a proxy of another scheme":   {"--server", refusing.URL, "--proxy-url", "ftp://u:" + secret + "@h"},
		"a proxy without a scheme":    {"--server", refusing.URL, "--proxy-url", "u:" + secret + "@h"},
		"a proxy-url in kubeconfig":   {"--kubeconfig", kubeconfig("1", server+", proxy-url: 'http://u:"+secret+"@h:x%%'", "")},
		"a token in kubeconfig":       {"--kubeconfig", kubeconfig("2", server, "token: "+secret)},
		"a password in kubeconfig":    {"--kubeconfig", kubeconfig("3", server, "username: u, password: "+secret)},
		"a key in kubeconfig":         {"--kubeconfig", kubeconfig("4", server, "client-certificate-data: "+encoded+", client-key-data: "+encoded)},
		"a key that is no base64":     {"--kubeconfig", kubeconfig("5", server, "client-key-data: '"+secret+"!'")},
		"a token of another kind":     {"--kubeconfig", kubeconfig("6", server, "token: ["+secret+"]")},
		"a broken kubeconfig":         {"--kubeconfig", file("7", "apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user:\n    token: "+secret+": x\n")},
		"a token's file":              {"--kubeconfig", kubeconfig("8", server, "tokenFile: "+file("token", secret))},
		"a key's file":                {"--server", refusing.URL, "--client-key", file("key", secret), "--client-certificate", file("cert", secret)},
	} {
		for _, verbosity := range []string{"0", "4", "6"} {
			t.Run(name+" -v "+verbosity, func(t *testing.T) {
				t.Cleanup(func() {
					if err := newLogging().flags.Set("v", "0"); err != nil {
						t.Error(err)
					}
					klog.SetOutput(os.Stderr)
				})
				t.Setenv("KUBECONFIG", filepath.Join(dir, "none"))
				var out bytes.Buffer
				streams := process.Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}}
				args := append([]string{"kubectl-informer", "list", "pods", "--stats", "--cache-dir", t.TempDir(), "-v", verbosity}, flags...)
				code := Main(t.Context(), args, streams)
				klog.Flush()
				if code == 0 || out.Len() == 0 {
					t.Errorf("exit code %d, %q", code, out.String())
				}
				for _, form := range []string{secret, encoded, strings.TrimRight(encoded, "=")} {
					if strings.Contains(out.String(), form) {
						t.Errorf("%s is in %s", form, out.String())
					}
				}
			})
		}
	}
}

func TestWhatIsSaidOnStderrIsSafeForATerminal(t *testing.T) {
	var stderr strings.Builder
	streams := process.Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &strings.Builder{}, ErrOut: &stderr}}
	code := Main(t.Context(), []string{"kubectl-informer", "list", "pods", "--where", "'no\u202e\x1b[2J\u200bsuch'"}, streams)
	if code != process.ExitError || !strings.Contains(stderr.String(), `no\u202e^[[2J\u200bsuch`) {
		t.Errorf("exit %d: %q", code, stderr.String())
	}
}
