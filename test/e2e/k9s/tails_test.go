//go:build unix

package k9s

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// tailed are views of every sort of thing that can be tailed.
var tailed = []view{
	{"configmaps", "v1", "", "keys/changing"},
	{"widgets", "v1", "factory.example.com", "keys/changing"},
	{"plants", "v1", "factory.example.com", "changing"},
	{"namespaces", "v1", "", "-/keys"},
	{"clusterroles", "v1", "rbac.authorization.k8s.io", "-/--help"},
	{"clusterroles", "v1", "rbac.authorization.k8s.io", "-/$(touch made); `touch made` $NAME 'it"},
}

func TestKeyTails(t *testing.T) {
	t.Parallel()
	for _, v := range tailed {
		for key, change := range map[string]string{"Shift-E": "MODIFIED", "Shift-H": "metadata.annotations"} {
			t.Run(key+" "+v.resource, func(t *testing.T) {
				t.Parallel()
				u := newUser(t)
				tail, name := u.tail(key, v), path.Base(v.path)
				tail.until(func(line string) bool { return strings.HasPrefix(line, "ADDED") && strings.Contains(line, name) })
				u.touch(v)
				tail.until(func(line string) bool { return strings.Contains(line, change) })
				tail.interrupt()
				if _, err := os.Stat(filepath.Join(u.dir, "made")); err == nil {
					t.Error("a name has been run as a command")
				}
			})
		}
	}
}

// touch changes an object.
func (u *user) touch(v view) {
	u.t.Helper()
	namespace := v.variables("", "")["NAMESPACE"]
	u.kubectl("annotate", v.resource+"."+v.version+"."+v.group+"/"+path.Base(v.path),
		"--namespace="+namespace, "--overwrite", "example.com/touched="+u.t.Name())
}

// tail is a command that runs while the test goes on.
type tail struct {
	*harness.Stream
	command *exec.Cmd
	t       *testing.T
}

// tail presses a key that tails.
func (u *user) tail(key string, v view) *tail {
	u.t.Helper()
	command := u.press(key, v)
	stream, err := harness.Follow(command)
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // all may have ended
		if err := stream.Kill(); err != nil {
			u.t.Error(err)
		}
	})
	return &tail{stream, command, u.t}
}

// until waits for a line.
func (s *tail) until(fits func(line string) bool) {
	s.t.Helper()
	if err := s.Until(func(stdout, _ []string) bool { return slices.ContainsFunc(stdout, fits) }); err != nil {
		s.t.Fatal(err)
	}
}

// interrupt ends it as Ctrl-C does: k9s has to come back without a question.
func (s *tail) interrupt() {
	s.t.Helper()
	if err := syscall.Kill(-s.command.Process.Pid, syscall.SIGINT); err != nil {
		s.t.Fatal(err)
	}
	result, err := s.Wait()
	if err != nil {
		s.t.Fatal(err)
	}
	if strings.Contains(result.Stdout, "Press Enter") || result.Stderr != "" {
		s.t.Errorf("after Ctrl-C: %+v", result)
	}
}

// k9s draws over what is on the screen as soon as a command has ended.
func TestErrorOfATailStaysUntilItIsRead(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	// In the view of a pod's containers, k9s knows no resource.
	known := variables{"NAMESPACE": "shop", "POD": "db-0", "NAME": "postgres", "CONTEXT": u.context, "KUBECONFIG": u.kubeconfig}
	for _, key := range []string{"Shift-E", "Shift-H"} {
		got := u.shows(u.command(key, "containers", known))
		if !strings.Contains(got, "doesn't have a resource type") || !strings.HasSuffix(got, "Press Enter to return to k9s\n") {
			t.Errorf("got:\n%s", got)
		}
	}
}
