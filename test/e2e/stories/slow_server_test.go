package stories

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// kubernetes/kubectl#298: with several types in one stream, nothing told when
// all that was there had been told. A fast type must not wait for a slow one, nor
// the end of the slow one's list be told with the fast one's.
func TestSlowTypeIsCalledSyncedOnceItIs(t *testing.T) {
	t.Parallel()
	proxy, release := held(t)
	user := newUser(t)
	user.kubectl("create", "secret", "generic", "slow")
	user.kubectl("create", "role", "fast", "--verb=get", "--resource=pods")
	tail := user.through(proxy.URL()).tail("secrets,roles", "--sync-events", "-o",
		"go-template={{.type}} {{with .kind}}{{.}}{{end}}{{with .object}}{{.kind}}/{{.metadata.name}}{{end}}{{if .initial}} initial{{end}}")

	tail.untilTold("^SYNCED Role$")
	user.kubectl("create", "role", "later", "--verb=get", "--resource=pods")
	tail.untilTold("^ADDED Role/later$")
	release()
	tail.untilTold("^SYNCED Secret$")
	user.kubectl("delete", "secret", "slow")
	tail.untilTold("^DELETED ")

	want := []string{
		"ADDED Role/fast initial", "SYNCED Role", "ADDED Role/later",
		"ADDED Secret/slow initial", "SYNCED Secret", "DELETED Secret/slow",
	}
	if got := tail.Lines(); !slices.Equal(got, want) {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	tail.interrupt()
}

// held returns a server of which the first list of secrets waits to be released.
func held(t *testing.T) (proxy *faultproxy.HTTP, release func()) {
	t.Helper()
	proxy, err := stage.cluster.HTTPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	released := make(chan struct{})
	proxy.Answer(faultproxy.List("secrets"), 1, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-released:
			proxy.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	return proxy, func() { close(released) }
}

// What a server has not answered in time is neither empty nor all there is.
func TestTimeThatIsUpBeforeAllIsListedIsNoSuccess(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	user.kubectl("create", "secret", "generic", "a")
	for _, one := range []struct {
		unanswered faultproxy.Match
		says       string
	}{
		{faultproxy.Discovery, "the server has not answered"},
		{faultproxy.List("secrets"), "the list of secrets is not complete"},
	} {
		proxy, err := stage.cluster.HTTPProxy(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		proxy.Answer(one.unanswered, faultproxy.Always, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}))
		for _, command := range []struct {
			args []string
			says string
		}{
			{[]string{"wait", "secrets,roles", "--for=create", "--timeout=2s"}, "timed out waiting for the condition"},
			{[]string{"tail", "secrets,roles", "--timeout=2s"}, "timed out before all objects were listed"},
			{[]string{"tail", "secrets,roles", "--timeout=2s", "--", "cat"}, "timed out before all objects were listed"},
		} {
			args := append([]string{"--cache-dir", t.TempDir()}, command.args...)
			got := user.through(proxy.URL()).run("kubectl-informer", args...)
			if want := "error: " + command.says + ": " + one.says + "\n"; got.Code != 124 || got.Stdout != "" || got.Stderr != want {
				t.Errorf("%q: got %+v, want exit code 124 and %q", args, got, want)
			}
		}
	}
	if got := user.run("kubectl-informer", "tail", "secrets,roles", "--timeout=10s", "-o", "name"); got.Code != 0 || got.Stdout != "secret/a\n" || got.Stderr != "" {
		t.Errorf("when all is listed: got %+v", got)
	}
}
