package stories

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// newNamespace creates a namespace of a test's own.
func newNamespace(ctx context.Context) (string, error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "story-"}}
	created, err := stage.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return created.Name, nil
}

// environ is the environment of somebody who works in a namespace and reaches
// the API server at a URL; empty is its own.
func environ(namespace, server string) ([]string, error) {
	kubeconfig, err := stage.cluster.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Namespace: namespace, Server: server})
	if err != nil {
		return nil, err
	}
	return stage.programs.Environ(stage.home, kubeconfig), nil
}

// user is somebody at a shell, in a namespace of their own.
type user struct {
	t         *testing.T
	env       []string
	namespace string
}

func newUser(t *testing.T) *user {
	t.Helper()
	namespace, err := newNamespace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return (&user{t: t, namespace: namespace}).through("")
}

// through is the same user, reaching the API server by another URL.
func (u *user) through(url string) *user {
	u.t.Helper()
	env, err := environ(u.namespace, url)
	if err != nil {
		u.t.Fatal(err)
	}
	return &user{u.t, env, u.namespace}
}

// run runs a program to its end.
func (u *user) run(program string, args ...string) harness.Result {
	u.t.Helper()
	result, err := stage.programs.Run(u.t.Context(), u.env, program, args...)
	if err != nil {
		u.t.Fatal(err)
	}
	return result
}

// kubectl runs kubectl, which has to succeed.
func (u *user) kubectl(args ...string) (stdout string) {
	u.t.Helper()
	result := u.run("kubectl", args...)
	if result.Code != 0 {
		u.t.Fatalf("kubectl %s: exit code %d, %s", strings.Join(args, " "), result.Code, result.Stderr)
	}
	return result.Stdout
}

// apply creates or changes objects.
func (u *user) apply(manifest string) {
	u.t.Helper()
	command := stage.programs.Command(u.t.Context(), u.env, "kubectl", "apply", "-f", "-")
	command.Stdin = strings.NewReader(manifest)
	if out, err := command.CombinedOutput(); err != nil {
		u.t.Fatalf("%v: %s", err, out)
	}
}

// stream is a program that runs while the test goes on.
type stream struct {
	*harness.Stream
	t *testing.T
}

// start starts a program.
func (u *user) start(program string, args ...string) *stream {
	u.t.Helper()
	started, err := stage.programs.Start(u.t.Context(), u.env, program, args...)
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		if err := started.Kill(); err != nil {
			u.t.Error(err)
		}
	})
	return &stream{started, u.t}
}

// tail starts the plugin's tail.
func (u *user) tail(args ...string) *stream {
	u.t.Helper()
	return u.start("kubectl-informer", append([]string{"tail"}, args...)...)
}

func (s *stream) until(enough func(stdout, stderr []string) bool) {
	s.t.Helper()
	if err := s.Until(enough); err != nil {
		s.t.Fatal(err)
	}
}

// untilTold waits until a line on stdout fits the expression.
func (s *stream) untilTold(expression string) {
	s.t.Helper()
	fits := regexp.MustCompile(expression)
	s.until(func(stdout, _ []string) bool { return slices.ContainsFunc(stdout, fits.MatchString) })
}

// untilWatching waits until a program that was given -v=6 has opened a watch.
func (s *stream) untilWatching() {
	s.t.Helper()
	s.until(func(_, stderr []string) bool { return harness.Watches(stderr) > 0 })
}

// interrupt ends the program as Ctrl-C does, and checks that it ends by it,
// having said nothing on stderr.
func (s *stream) interrupt() {
	s.t.Helper()
	if err := s.Signal(syscall.SIGINT); err != nil {
		s.t.Fatal(err)
	}
	if result := s.end(); result.Code != 130 || result.Stderr != "" {
		s.t.Errorf("got exit code %d, stderr %q; want 130 and nothing", result.Code, result.Stderr)
	}
}

// end waits for the program's end.
func (s *stream) end() harness.Result {
	s.t.Helper()
	result, err := s.Wait()
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

// eventually waits until the check returns no error.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	if err := harness.Eventually(t.Context(), check); err != nil {
		t.Fatal(err)
	}
}
