package faults

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// session is a query that is asked while the test goes on.
type session struct {
	*stream
	questions io.WriteCloser
}

// query starts the plugin's query.
func (u *user) query(args ...string) *session {
	u.t.Helper()
	command := stage.programs.Command(u.t.Context(), u.env, "kubectl-informer", append([]string{"query"}, args...)...)
	questions, err := command.StdinPipe()
	if err != nil {
		u.t.Fatal(err)
	}
	started, err := harness.Follow(command)
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		if err := started.Kill(); err != nil {
			u.t.Error(err)
		}
	})
	return &session{&stream{started, u.t}, questions}
}

// ask returns the answer to one line.
func (s *session) ask(line string) string {
	s.t.Helper()
	before := len(s.Lines())
	if _, err := io.WriteString(s.questions, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
	var answer []string
	s.until(func(stdout, _ []string) bool {
		end := slices.Index(stdout[before:], "---")
		if end >= 0 {
			answer = stdout[before : before+end]
		}
		return end >= 0
	})
	return strings.Join(answer, "\n")
}

// A type that may not be read any more went on being answered for, with objects that
// were deleted meanwhile, or with nothing, or with client-go's own words.
func TestQueryAnswersNothingOfATypeThatHasEnded(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.tcpProxy(t), stage.server.newNamespace(t)
	revoke := allow(t, cluster.Nobody, namespace, "secrets")
	allow(t, cluster.Nobody, namespace, "configmaps")
	cms := stage.server.configMaps(t, namespace)
	cms.create("a")
	user := stage.server.user(t, cluster.Nobody, through(proxy.URL()), in(namespace))
	user.untilAllowed("secrets,configmaps")
	alone, both := user.query("secrets"), user.query("configmaps,secrets")
	for _, s := range []*session{alone, both} {
		if answer := s.ask("-o name"); strings.Contains(answer, "Status") {
			t.Fatalf("before: %s", answer)
		}
	}

	revoke()
	user.untilDenied("secrets")
	proxy.Cut() // a watch that is open is not asked for its rights again
	const forbidden = "Error from server (Forbidden): secrets is forbidden: "
	alone.untilSays(forbidden, 1)
	both.untilSays(forbidden, 1)

	for _, line := range []string{"-o name", "", "--count-by name", "-o json"} {
		var status struct{ Kind, Reason string }
		if answer := alone.ask(line); json.Unmarshal([]byte(answer), &status) != nil || status.Kind != "Status" || status.Reason != "Forbidden" {
			t.Errorf("%q is answered by %q, want the server's Status", line, answer)
		}
	}
	const lacks = "the answer lacks secrets: " + forbidden
	if answer := both.ask("-o name"); answer != "configmap/a" {
		t.Errorf("beside another type: got %q", answer)
	}
	both.untilSays("Warning: line 2: "+lacks, 1)
	if answer := both.ask("--count-by name --no-headers"); strings.Join(strings.Fields(answer), " ") != "a 1" {
		t.Errorf("counted: got %q", answer)
	}
	both.untilSays("Warning: line 3: "+lacks, 1)
	var list struct {
		Items    []any
		Warnings []string
	}
	if answer := both.ask("-o json"); json.Unmarshal([]byte(answer), &list) != nil || len(list.Items) != 1 ||
		len(list.Warnings) != 1 || !strings.HasPrefix(list.Warnings[0], lacks) {
		t.Errorf("as JSON: got %q", answer)
	}
	for _, s := range []*session{alone, both} {
		if err := s.questions.Close(); err != nil {
			t.Fatal(err)
		}
		if result := s.end(); result.Code != 1 {
			t.Errorf("got exit code %d, want the failure to be remembered", result.Code)
		}
	}
}
