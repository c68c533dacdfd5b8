package contexts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// terminal is one that tmux plays.
type terminal struct {
	*testing.T
	socket string
}

// open runs a program in a terminal.
func open(t *testing.T, program string) *terminal {
	t.Helper()
	// A short name: the path of a Unix socket has room for 104 bytes.
	dir, err := os.MkdirTemp("", "tmux-")
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{t, filepath.Join(dir, "s")}
	t.Cleanup(func() {
		s.tmux("kill-server")
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	// What the program says at its end is looked at, too.
	s.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", "90", "-y", "20", program+"; echo ended $?; cat")
	return s
}

func (s *terminal) tmux(args ...string) string {
	s.Helper()
	command := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...)
	command.Env = append(environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "TZ=UTC")
	out, err := command.CombinedOutput()
	if err != nil {
		s.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// shows waits until the screen has something.
func (s *terminal) shows(expression string) {
	s.Helper()
	wanted := regexp.MustCompile(`(?m)` + expression)
	if err := harness.Eventually(s.Context(), func() error {
		if text := s.tmux("capture-pane", "-p"); !wanted.MatchString(text) {
			return fmt.Errorf("no %s on the screen:\n%s", expression, text)
		}
		return nil
	}); err != nil {
		s.Fatal(err)
	}
}

// definition defines a type in one version, with a column or none.
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: levers.example.info}
spec:
  group: example.info
  names: {kind: Lever, plural: levers, singular: lever}
  scope: Namespaced
  versions:
  - name: VERSION
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
    additionalPrinterColumns: [COLUMN]
`

const lever = `{apiVersion: example.info/VERSION, kind: Lever, metadata: {name: twin, namespace: levers}, spec: {side: left}}`

func TestOneLiveViewHasTheColumnsOfAllVersionsOfAType(t *testing.T) {
	apply := func(in, manifest, version, column string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "manifest.yaml")
		if err := os.WriteFile(file, []byte(strings.NewReplacer("VERSION", version, "COLUMN", column).Replace(manifest)), 0o600); err != nil {
			t.Fatal(err)
		}
		kubectl(t, in, "apply", "-f", file)
	}
	for _, in := range []struct{ context, version, column string }{
		{"west", "v1", "{name: Side, type: string, jsonPath: .spec.side}"}, {"east", "v1beta1", ""},
	} {
		kubectl(t, in.context, "create", "namespace", "levers")
		apply(in.context, definition, in.version, in.column)
		kubectl(t, in.context, "wait", "crd/levers.example.info", "--for=condition=Established")
		apply(in.context, lever, in.version, "")
	}
	s := open(t, "kubectl-informer list levers -n levers --contexts west,east --live")
	s.shows(`^ +CONTEXT +NAME +(AGE +)?SIDE( +AGE)? *\n>  west +twin +.*left.*\n   east +twin +`)
	kubectl(t, "east", "-n", "levers", "delete", "lever", "twin")
	s.shows(`^ 1 object`)
	s.tmux("send-keys", "q")
	s.shows(`^ended 0`)
}

func TestOneLiveViewShowsWhatChangesInSeveralClusters(t *testing.T) {
	for _, in := range []string{"west", "east"} {
		kubectl(t, in, "create", "namespace", "living")
		kubectl(t, in, "-n", "living", "create", "configmap", "twin")
	}
	s := open(t, "kubectl-informer list cm -n living --contexts west,down,east --live")
	s.shows(`^ +CONTEXT +NAME +DATA +AGE *\n>  west +twin +0 +.*\n   east +twin +0 `)
	kubectl(t, "west", "-n", "living", "create", "configmap", "other")
	s.shows(`west +other +0 .*\n +west +twin +0 .*\n +east +twin `)
	kubectl(t, "east", "-n", "living", "delete", "configmap", "twin")
	s.shows(`^ 2 objects`)
	s.tmux("send-keys", "q")
	s.shows(`^context "down": The connection to the server 127.0.0.1:1 was refused`)
	s.shows(`^ended 1`)
}
