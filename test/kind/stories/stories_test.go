package stories

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// defaultImage is what containers run that need a shell.
const defaultImage = "registry.k8s.io/e2e-test-images/busybox:1.37.0-2"

// TestStories runs the stories in testdata. Each is somebody at a shell, with two
// namespaces of their own: the context's, which is $NAMESPACE, and $OTHER; both
// are deleted at its end. Beside testscript's commands and the harness's there is
//
//	apply FILE    create the objects of a file, in which $NAMES are the script's variables
//
// and the condition [kubelet], that pods really run. Where they do not, a script
// plays the kubelet: it gives its pods to $SCHEDULER, which then schedules none,
// and writes their status itself. $IMAGE is an image with a shell.
func TestStories(t *testing.T) {
	commands := stage.programs.ScriptCommands()
	commands["apply"] = apply
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		Setup:               setUp,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                commands,
		Condition: func(condition string) (bool, error) {
			if condition != "kubelet" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			return stage.kubelets, nil
		},
	})
}

func setUp(env *testscript.Env) error {
	t, err := harness.ScriptTest(env)
	if err != nil {
		return err
	}
	variables := map[string]string{
		"IMAGE":     cmp.Or(os.Getenv("INFORMER_TEST_IMAGE"), defaultImage),
		"SCHEDULER": "nobody",
	}
	if stage.kubelets {
		variables["SCHEDULER"] = "default-scheduler"
	}
	for _, name := range []string{"NAMESPACE", "OTHER"} {
		namespace, err := newNamespace(t.Context())
		if err != nil {
			return err
		}
		env.Defer(func() { remove(t, namespace) })
		variables[name] = namespace
	}
	kubeconfig := filepath.Join(env.WorkDir, "kubeconfig")
	if err := writeKubeconfig(kubeconfig, variables["NAMESPACE"]); err != nil {
		return err
	}
	shell := slices.Concat(stage.environment, stage.programs.Environ(stage.home, kubeconfig))
	for name, value := range variables {
		shell = append(shell, name+"="+value)
	}
	return harness.SetUpScript(env, shell)
}

// remove deletes a namespace; what is in it goes after the story's end.
func remove(t testing.TB, namespace string) {
	err := stage.client.CoreV1().Namespaces().Delete(context.WithoutCancel(t.Context()), namespace, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		t.Errorf("the namespace %s is left: %v", namespace, err)
	}
}

func apply(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: apply FILE")
	}
	expanded := ts.MkAbs("expanded-" + args[0])
	ts.Check(os.WriteFile(expanded, []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o600))
	ts.Check(ts.Exec("kubectl", "apply", "-f", expanded))
}
