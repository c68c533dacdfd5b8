package stories

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// unanswered keeps a request waiting for as long as somebody waits.
func unanswered(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// A record goes on without columns, and says once what it will lack: unless the type has
// no definition, as one of an aggregated API.
func TestARecordWithoutColumnsIsWhole(t *testing.T) {
	t.Parallel()
	const (
		definitions = "/apis/apiextensions.k8s.io/v1"

		unread = "Warning: --record: a replay will print NAME and AGE alone of widgets.factory.example.com, plants.factory.example.com, whose columns cannot be read: "
		hint   = `hint: this needs a ClusterRole with the rule {apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: [list]} for the whole cluster`
	)
	forbidden := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "you may not"}
	for name, test := range map[string]struct {
		answer http.Handler
		stderr []string
	}{
		"forbidden": {faultproxy.Status(forbidden), []string{unread + "Error from server (Forbidden): you may not", hint}},
		"not answered": {
			http.HandlerFunc(unanswered),
			[]string{unread + `timed out waiting for customresourcedefinitions.apiextensions.k8s.io "widgets.factory.example.com" to sync: no progress for 2s`},
		},
		"no definition": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinitionList","metadata":{"resourceVersion":"1"},"items":[]}`))
		}), nil},
		"no definitions": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != definitions {
				faultproxy.Code(http.StatusNotFound).ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"APIResourceList","groupVersion":"apiextensions.k8s.io/v1","resources":[]}`))
		}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, err := stage.cluster.HTTPProxy(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			proxy.Answer(faultproxy.Path(definitions), faultproxy.Always, test.answer)
			user := newUser(t).through(proxy.URL())
			file := filepath.Join(t.TempDir(), "record.jsonl")
			got := user.run("kubectl-informer", "tail", "widgets,plants", "-n", "shop", "--until-synced", "--record", file, "--sync-timeout", "2s", "-o", "name")
			var said []string
			for line := range strings.Lines(got.Stderr) {
				if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "waiting for ") {
					said = append(said, line)
				}
			}
			if got.Code != 0 || strings.Join(said, "\n") != strings.Join(test.stderr, "\n") || !strings.Contains(got.Stdout, "widget.factory.example.com/bolt\n") {
				t.Errorf("got %+v\nwant %q", got, test.stderr)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, events, _ := strings.Cut(string(text), "\n")
			var header dump.RecordHeader
			if err := json.Unmarshal([]byte(first), &header); err != nil || len(header.Targets) != 2 || strings.Contains(first, "columns") {
				t.Errorf("got %s, %v", first, err)
			}
			if !strings.Contains(events, `"name":"bolt"`) || strings.Count(events, `"type":"SYNCED"`) != 2 {
				t.Errorf("got %s", events)
			}
			if replayed := user.run("kubectl-informer", "list", "widgets", "--replay", file); replayed.Code != 0 || replayed.Stderr != "" || !strings.HasPrefix(replayed.Stdout, "NAMESPACE   NAME   AGE\n") {
				t.Errorf("replay: got %+v", replayed)
			}
		})
	}
}

// The time that a stream has goes on while columns are asked for.
func TestATailWhoseTimeIsUpBeforeColumnsHaveComeIsNotListed(t *testing.T) {
	t.Parallel()
	proxy, err := stage.cluster.HTTPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	proxy.Answer(faultproxy.List("customresourcedefinitions"), faultproxy.Always, http.HandlerFunc(unanswered))
	user := newUser(t).through(proxy.URL())
	got := user.run("kubectl-informer", "tail", "widgets", "-n", "shop", "--record", filepath.Join(t.TempDir(), "record.jsonl"), "--timeout", "2s")
	if got.Code != 124 || got.Stdout != "" || strings.Count(got.Stderr, "\n") != 1 || !strings.Contains(got.Stderr, "the list of widgets.factory.example.com is not complete") {
		t.Errorf("got %+v", got)
	}
}

// Types may be known of a server that is no longer there: that is said once.
func TestARecordOfAServerThatIsGoneSaysSoOnce(t *testing.T) {
	t.Parallel()
	proxy, err := stage.cluster.HTTPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	user := newUser(t).through(proxy.URL())
	record := func(name string) harness.Result {
		return user.run("kubectl-informer", "tail", "widgets", "-n", "shop", "--until-synced", "--record", filepath.Join(t.TempDir(), name), "-o", "name")
	}
	if there := record("there"); there.Code != 0 || there.Stderr != "" {
		t.Fatalf("got %+v", there)
	}
	proxy.Close()
	gone := record("gone")
	if gone.Code != 1 || strings.Count(gone.Stderr, "\n") != 1 || !strings.Contains(gone.Stderr, "was refused") {
		t.Errorf("got %+v", gone)
	}
}
