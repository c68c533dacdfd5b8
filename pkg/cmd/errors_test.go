package cmd

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
			said(&cache.SyncError{Err: forbidden()}), 1, nil},
		"nothing printed already is no error": {said(nil), 0, nil},
		"a reader that has gone is quiet":     {fmt.Errorf("write: %w", &outputError{syscall.EPIPE}), 141, nil},
		"a full disk is not":                  {&outputError{syscall.ENOSPC}, 1, []string{"error: no space left on device"}},
		"nothing matched is quiet":            {errNothingMatched, 3, nil},
		"a missing type names what to do": {
			&resolve.NoResourceError{}, 1, []string{
				"error: Required resource not specified.",
				`hint: name a type, as in "list pods"; "kubectl api-resources" lists all`}},
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
