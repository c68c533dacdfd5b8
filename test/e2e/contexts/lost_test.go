package contexts

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// says returns what waits for a line that begins with some words.
func says(lines func(stdout, stderr []string) []string, words string) func(stdout, stderr []string) bool {
	return func(stdout, stderr []string) bool {
		return slices.ContainsFunc(lines(stdout, stderr), func(line string) bool { return strings.HasPrefix(line, words) })
	}
}

func onStdout(stdout, _ []string) []string { return stdout }
func onStderr(_, stderr []string) []string { return stderr }

func TestAClusterThatIsLostIsNamedAndTheOthersAreFollowed(t *testing.T) {
	firstObjects(t, "losing")
	tail, err := stage.programs.Start(t.Context(), environ(), "kubectl-informer", "tail", "cm", "-n", "losing", "--contexts", "west,east",
		"-o", each, "--sync-events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tail.Kill() })
	until := func(enough func(stdout, stderr []string) bool) {
		t.Helper()
		if err := tail.Until(enough); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range []string{"west", "east"} {
		until(says(onStdout, "ADDED "+in+" first"))
		until(says(onStdout, "SYNCED "+in))
	}
	stage.west.KillAPIServer()
	until(says(onStderr, `connection lost for configmaps in context "west": `))
	kubectl(t, "east", "-n", "losing", "create", "configmap", "meanwhile")
	until(says(onStdout, "ADDED east meanwhile"))
	if err := stage.west.StartAPIServer(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	kubectl(t, "west", "-n", "losing", "create", "configmap", "after")
	until(says(onStdout, "ADDED west after"))
	until(says(onStderr, `connection is back for configmaps in context "west" after `))
	if err := tail.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	result, err := tail.Wait()
	if err != nil || result.Code != 130 {
		t.Errorf("ended with %d, %v", result.Code, err)
	}
	if err := harness.Result.Noise(result); err != nil {
		t.Error(err)
	}
	for _, event := range []string{"ADDED west first", "ADDED east first"} {
		if n := strings.Count(result.Stdout, event+"\n"); n != 1 {
			t.Errorf("%q is reported %d times:\n%s", event, n, result.Stdout)
		}
	}
}
