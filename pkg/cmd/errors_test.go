package cmd

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

var somePods = cache.Target{
	Resource:   schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Namespaced: true,
	Namespace:  "shop",
}

func forbidden() error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New(`User "dev" cannot list`))
}

func TestErrorsBecomeWordsAndExitCodes(t *testing.T) {
	refused := &url.Error{Op: "Get", URL: "https://127.0.0.1:1/api", Err: errors.New("dial tcp: connect: connection refused")}
	for name, test := range map[string]struct {
		err   error
		code  int
		lines []string
	}{
		"success": {nil, 0, nil},
		"a plain error has kubectl's prefix": {
			errors.New("unknown flag: --nope"), 1, []string{"error: unknown flag: --nope"}},
		"a refused connection in kubectl's words": {
			&cache.SyncError{Target: somePods, Err: refused, Fault: cache.Unreachable}, 1,
			[]string{"The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?"}},
		"a refusal comes with the rule that is missing": {
			&cache.SyncError{Target: somePods, Err: forbidden(), Fault: cache.Denied}, 1, []string{
				`Error from server (Forbidden): pods is forbidden: User "dev" cannot list`,
				`hint: this needs a Role with the rule {apiGroups: [""], resources: ["pods"], verbs: [list]} in namespace "shop"`}},
		"equal messages of many targets are said once": {
			errors.Join(&cache.SyncError{Err: refused}, &cache.SyncError{Err: refused}), 1,
			[]string{"The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?"}},
		"no progress has a code of its own, and keeps the last error": {
			&cache.SyncError{Target: somePods, TimedOut: true, Err: fmt.Errorf("timed out waiting for pods to sync: %w", errors.New("503"))},
			124, []string{"error: timed out waiting for pods to sync: 503"}},
		"a message that was printed already counts for the code alone": {
			reported(&cache.SyncError{Err: forbidden()}), 1, nil},
		"a failure that is waited for has a code of its own": {
			&match.FailedError{Object: "job.batch/a", Event: "meets --fail-for=condition=Failed", Why: "Failed=True"}, 4,
			[]string{"error: job.batch/a meets --fail-for=condition=Failed: Failed=True"}},
		"nothing printed already is no error": {reported(nil), 0, nil},
		"a reader that has gone is quiet":     {fmt.Errorf("write: %w", &outputError{syscall.EPIPE}), 141, nil},
		"a full disk is not":                  {&outputError{syscall.ENOSPC}, 1, []string{"error: no space left on device"}},
		"nothing matched is quiet":            {errNothingMatched, 3, nil},
		"a missing type names what to do": {
			&resolve.NoResourceError{}, 1, []string{
				`You must specify the type of resource to list. Use "kubectl api-resources" for a complete list of supported resources.`, "",
				"error: Required resource not specified.",
				`Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).`,
				"See 'kubectl informer list -h' for help and examples"}},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			if code := finish(t.Context(), consoleTo(&stderr), asked{command: "list"}, test.err); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			want := strings.Join(test.lines, "\n")
			if want != "" {
				want += "\n"
			}
			if stderr.String() != want {
				t.Errorf("stderr:\n%swant:\n%s", stderr.String(), want)
			}
		})
	}
}

func TestASignalEndsQuietlyWithItsNumber(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(Interrupted{Signal: signal})
		var stderr bytes.Buffer
		if got := finish(ctx, consoleTo(&stderr), asked{}, ctx.Err()); got != code || stderr.Len() != 0 {
			t.Errorf("%v: code %d, stderr %q", signal, got, stderr.String())
		}
	}
}

func TestAFieldTheServerCannotSelectByIsOfferedAsAnIndex(t *testing.T) {
	target := somePods
	target.FieldSelector = "spec.size==3"
	err := &cache.SyncError{Target: target, Fault: cache.Invalid, Err: apierrors.NewBadRequest(`field label not supported: spec.size`)}
	if got := hint(err, asked{}); !strings.Contains(got, "--by spec.size=3") {
		t.Errorf("hint: %q", got)
	}
}

// A connection that can no longer be written to fails with the same errno as a
// pipe that nobody reads; it was taken for one, silently.
func TestBrokenPipeOfAConnectionIsToldAsAnError(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0") // a peer that says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = connection.(*net.TCPConn).CloseWrite()
		}
		return connection, err
	}}
	client, err := rest.RESTClientFor(&rest.Config{
		Host:      "http://" + server.Addr().String(),
		Transport: transport,
		ContentConfig: rest.ContentConfig{
			GroupVersion:         &schema.GroupVersion{Version: "v1"},
			NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	err = client.Get().AbsPath("/api").Do(t.Context()).Error()
	if !errors.Is(err, syscall.EPIPE) {
		t.Fatalf("the connection fails otherwise: %v", err)
	}
	var stderr bytes.Buffer
	code := finish(t.Context(), consoleTo(&stderr), asked{}, &cache.SyncError{Target: somePods, Err: err})
	if code != exitError || !strings.Contains(stderr.String(), "broken pipe") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

func TestAFieldSelectorThatTheServerRefusesIsSpelledForTheCache(t *testing.T) {
	for selector, want := range map[string]string{
		"spec.size=3":              "--by spec.size=3",
		"spec.size==3":             "--by spec.size=3",
		"spec.size!=3":             "--by spec.size!=3",
		"spec.size=3,spec.color!=": "--by spec.color!= --by spec.size=3",
		`spec.name=a\,b`:           "--by spec.name=a,b",
		"spec.size":                "--by PATH=VALUE",
		// A list of maps has no values: as it stands it could never match.
		"spec.containers=x":                  "--by spec.containers[*].image=x",
		"spec.template.spec.initContainers=": "--by spec.template.spec.initContainers[*].image=",
		"spec.containersReady=x":             "--by spec.containersReady=x",
	} {
		if got := asBy(selector); got != want {
			t.Errorf("%s: got %s, want %s", selector, got, want)
		}
	}
}

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
		cmd, rest, err := NewRoot(Streams{}).Find(strings.Fields(args))
		if err != nil || cmd.ParseFlags(rest) != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if got := hint(refused, askedBy(cmd)); !strings.Contains(got, `resources: ["pods"], verbs: `+want+"}") {
			t.Errorf("%s: %s", args, got)
		}
	}
}

func TestASubresourceTakesTheRightToGetIt(t *testing.T) {
	status := somePods
	status.Name, status.Subresource = "p", "status"
	refused := &cache.SyncError{Target: status, Err: forbidden(), Fault: cache.Denied}
	want := `hint: this needs a Role with the rule {apiGroups: [""], resources: ["pods/status"], verbs: [get], resourceNames: ["p"]} in namespace "shop"`
	if got := hint(refused, asked{command: "list"}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEveryServersWordsForAnUnknownFieldAreUnderstood(t *testing.T) {
	for text, understood := range map[string]bool{
		"field label not supported: spec.size":                                                  true,
		`"spec.size" is not a known field selector: only "metadata.name", "metadata.namespace"`: true,
		"invalid selector: 'foo'; can't understand 'foo'":                                       false,
		"unable to parse requirement: found '', expected: ',', ')' or identifier":               false,
	} {
		target := somePods
		target.FieldSelector = "spec.size=3"
		got := hint(&cache.SyncError{Target: target, Fault: cache.Invalid, Err: apierrors.NewBadRequest(text)}, asked{})
		if strings.Contains(got, "--by spec.size=3") != understood || (got != "") != understood {
			t.Errorf("%s: hint %q", text, got)
		}
	}
}

func TestUserinfoIsTakenOutOfMessages(t *testing.T) {
	for text, want := range map[string]string{
		`Get "https://u:p@host/api": EOF`:        `Get "https://xxxxx@host/api": EOF`,
		`Get "https://u:***@host/api": EOF`:      `Get "https://u:***@host/api": EOF`,
		`url="https://u:p@x@host/a" and a@b.org`: `url="https://xxxxx@host/a" and a@b.org`,
		`https://t0ken@host`:                     `https://xxxxx@host`,
		`https://host/a@b`:                       `https://host/a@b`,
		`error: invalid 'proxy-url' "http://u:p/\"w@h:x%%" for cluster "c": could not parse: http://u:p/"w@h:x%%`:   `error: invalid 'proxy-url' "http://xxxxx@h:x%%" for cluster "c": it is not the URL of a proxy`,
		`error: invalid 'proxy-url' "u:p@h" for cluster "": unsupported scheme "u", must be http, https, or socks5`: `error: invalid 'proxy-url' "xxxxx@h" for cluster "": it is not the URL of a proxy`,
		`error: invalid 'proxy-url' "ftp://h" for cluster "": unsupported scheme "ftp"`:                             `error: invalid 'proxy-url' "ftp://h" for cluster "": unsupported scheme "ftp"`,
	} {
		if got := withoutUserinfo(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
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
				streams := Streams{IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}}
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
