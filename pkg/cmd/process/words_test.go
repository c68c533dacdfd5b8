package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

var shopPods = cache.Target{
	Resource:   schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Namespaced: true,
	Namespace:  "shop",
}

func refusal() error {
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
			&cache.SyncError{Target: shopPods, Err: refused, Fault: cache.Unreachable}, 1,
			[]string{"The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?"}},
		"a refusal comes with the rule that is missing": {
			&cache.SyncError{Target: shopPods, Err: refusal(), Fault: cache.Denied}, 1, []string{
				`Error from server (Forbidden): pods is forbidden: User "dev" cannot list`,
				`hint: this needs a Role with the rule {apiGroups: [""], resources: ["pods"], verbs: [list]} in namespace "shop"`}},
		"of several clusters each error names its own": {
			errors.Join(&cache.SyncError{Target: cache.Target{Context: "west"}, Err: refused}, &cache.ContextError{Context: "east", Err: refused},
				&cache.ContextError{Context: "north", Err: errors.New("no such type")}), 1, []string{
				`context "west": The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?`,
				`context "east": The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?`,
				`context "north": error: no such type`}},
		"a context that the words name is not named twice": {
			&cache.SyncError{Target: cache.Target{Context: "west"}, TimedOut: true, Err: errors.New(`timed out waiting for pods in context "west" to sync`)},
			124, []string{`error: timed out waiting for pods in context "west" to sync`}},
		"equal messages of many targets are said once": {
			errors.Join(&cache.SyncError{Err: refused}, &cache.SyncError{Err: refused}), 1,
			[]string{"The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?"}},
		"no progress has a code of its own, and keeps the last error": {
			&cache.SyncError{Target: shopPods, TimedOut: true, Err: fmt.Errorf("timed out waiting for pods to sync: %w", errors.New("503"))},
			124, []string{"error: timed out waiting for pods to sync: 503"}},
		"a message that was printed already counts for the code alone": {
			Reported(&cache.SyncError{Err: refusal()}), 1, nil},
		"a failure that is waited for has a code of its own": {
			&match.FailedError{Object: "job.batch/a", Event: "meets --fail-for=condition=Failed", Why: "Failed=True"}, 4,
			[]string{"error: job.batch/a meets --fail-for=condition=Failed: Failed=True"}},
		"nothing printed already is no error": {Reported(nil), 0, nil},
		"a reader that has gone is quiet":     {fmt.Errorf("write: %w", &outputError{syscall.EPIPE}), 141, nil},
		"a full disk is not":                  {&outputError{syscall.ENOSPC}, 1, []string{"error: no space left on device"}},
		"nothing matched is quiet":            {ErrNothingMatched, 3, nil},
		"a missing type names what to do": {
			&resolve.NoResourceError{}, 1, []string{
				`You must specify the type of resource to list. Use "kubectl api-resources" for a complete list of supported resources.`, "",
				"error: Required resource not specified.",
				`Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).`,
				"See 'kubectl informer list -h' for help and examples"}},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			if code := Finish(t.Context(), consoleOn(&stderr), Asked{Command: "list"}, test.err); code != test.code {
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
		if got := Finish(ctx, consoleOn(&stderr), Asked{}, ctx.Err()); got != code || stderr.Len() != 0 {
			t.Errorf("%v: code %d, stderr %q", signal, got, stderr.String())
		}
	}
}

func TestAFieldTheServerCannotSelectByIsOfferedAsAnIndex(t *testing.T) {
	target := shopPods
	target.FieldSelector = "spec.size==3"
	err := &cache.SyncError{Target: target, Fault: cache.Invalid, Err: apierrors.NewBadRequest(`field label not supported: spec.size`)}
	if got := Hint(err, Asked{}); !strings.Contains(got, "--by spec.size=3") {
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
	code := Finish(t.Context(), consoleOn(&stderr), Asked{}, &cache.SyncError{Target: shopPods, Err: err})
	if code != ExitError || !strings.Contains(stderr.String(), "broken pipe") {
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

func TestASubresourceTakesTheRightToGetIt(t *testing.T) {
	status := shopPods
	status.Name, status.Subresource = "p", "status"
	refused := &cache.SyncError{Target: status, Err: refusal(), Fault: cache.Denied}
	want := `hint: this needs a Role with the rule {apiGroups: [""], resources: ["pods/status"], verbs: [get], resourceNames: ["p"]} in namespace "shop"`
	if got := Hint(refused, Asked{Command: "list"}); got != want {
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
		target := shopPods
		target.FieldSelector = "spec.size=3"
		got := Hint(&cache.SyncError{Target: target, Fault: cache.Invalid, Err: apierrors.NewBadRequest(text)}, Asked{})
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
		if got := WithoutUserinfo(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
