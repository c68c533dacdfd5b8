package stories

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// The schema of events that users get, and its part for what a COMMAND reads.
const (
	schemaFile    = "../../../docs/event.schema.json"
	commandSchema = schemaFile + "#/$defs/command"
)

func compileSchema(t *testing.T, location string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiled, err := compiler.Compile(location)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// checkLines validates each line, and returns the members that lines have.
func checkLines(t *testing.T, compiled *jsonschema.Schema, lines []string) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	for _, line := range lines {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if err := compiled.Validate(document); err != nil {
			t.Errorf("%v\n%s", err, line)
		}
		for member := range document.(map[string]any) {
			seen[member] = true
		}
	}
	return seen
}

// expired holds back the answer to a watch, and then has it that the past is
// forgotten.
func expired(release <-chan struct{}) http.Handler {
	gone := faultproxy.Status(apierrors.NewResourceExpired("too old resource version").ErrStatus)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
			gone.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

func TestSchemaSaysWhatEventsDo(t *testing.T) {
	t.Parallel()
	proxy, err := stage.cluster.HTTPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	forget := make(chan struct{})
	proxy.Answer(faultproxy.Watch("configmaps"), 1, expired(forget))
	user := newUser(t)
	user.kubectl("create", "configmap", "web-config", "--from-literal=colour=blue")
	user.kubectl("create", "configmap", "old-config", "--from-literal=colour=blue")
	question := []string{"tail", "configmaps,secrets", "-o", "json", "--by", "label!=away", "--old", "--diff", "--timestamps", "--sync-events",
		"--state", filepath.Join(t.TempDir(), "state")}
	before := user.run("kubectl-informer", append(question, "--until-synced")...)
	several := user.run("kubectl-informer", "tail", "configmaps", "-o", "json", "--contexts", "all", "--until-synced")
	user.kubectl("create", "secret", "generic", "db-password", "--from-literal=colour=blue")
	tail := user.through(proxy.URL()).start("kubectl-informer", append(question, "--resync", "1s")...)
	tail.untilTold(`"type":"SYNCED".*"ConfigMap"`)
	tail.untilTold(`"type":"SYNCED".*"Secret"`)

	user.kubectl("delete", "configmap", "old-config")
	close(forget)
	tail.untilTold(`"type":"DELETED".*"finalStateUnknown":true`)
	user.kubectl("patch", "secret", "db-password", "--patch", `{"stringData":{"colour":"red","size":"4"}}`)
	tail.untilTold(`"type":"MODIFIED".*"changes":`)
	user.kubectl("label", "configmap", "web-config", "away=")
	tail.untilTold(`"type":"DELETED".*"reason":"NoLongerMatches"`)
	tail.untilTold(`"type":"RESYNC"`)
	user.kubectl("delete", "secret", "db-password")
	tail.untilTold(`"type":"DELETED".*"kind":"Secret"`)
	tail.interrupt()

	compiled := compileSchema(t, schemaFile)
	earlier := strings.TrimSuffix(before.Stdout+several.Stdout, "\n")
	seen := checkLines(t, compiled, append(strings.Split(earlier, "\n"), tail.Lines()...))
	for member := range compiled.Properties {
		if !seen[member] {
			t.Errorf("the schema has %q, which no event of a whole life has", member)
		}
	}
}

func TestSchemaFitsWhatACommandReads(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	user.kubectl("create", "configmap", "a", "--from-literal=colour=blue")
	tail := user.tail("configmap/a", "--old", "--diff", "--timestamps", "--resync", "1s", "--", "cat")
	tail.untilTold(`"type":"ADDED"`)
	user.kubectl("patch", "configmap", "a", "--patch", `{"data":{"colour":"red"}}`)
	tail.untilTold(`"type":"MODIFIED".*"oldObject".*"changes"`)
	tail.untilTold(`"type":"RESYNC"`)
	user.kubectl("delete", "configmap", "a")
	tail.untilTold(`"type":"DELETED"`)
	tail.interrupt()
	checkLines(t, compileSchema(t, commandSchema), tail.Lines())
}

// Objects of every sort that the cluster has, of which some came from a list in
// one form and some in another.
func TestSchemaFitsEveryObject(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	got := user.run("kubectl-informer", "tail", "all,nodes,namespaces,configmaps,secrets,events,crds,widgets,clusterroles", "-A",
		"-o", "json", "--timestamps", "--show-managed-fields", "--max-events", "100")
	if got.Code != 0 || got.Stderr != "" {
		t.Fatalf("code %d, stderr %q", got.Code, got.Stderr)
	}
	checkLines(t, compileSchema(t, schemaFile), strings.Split(strings.TrimSuffix(got.Stdout, "\n"), "\n"))
}
