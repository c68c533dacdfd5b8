package e2e

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	shellquote "github.com/kballard/go-shellquote"
	"github.com/rogpeppe/go-internal/testscript"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// The scripts of testdata are what users type, each named for what they get. Those in
// long start many programs, and are left out with -short.
//
// A script has a KUBECONFIG and a HOME of its own, the context's namespace is
// shop, $NS is a new namespace, and $VIEWER, $DEV, $ONE, $LISTER and $NOBODY are
// kubeconfigs of the users of those names. Beside testscript's commands there are
//
//	exits CODE PROGRAM ARG...    the program ends with this exit code
//	terminal PROGRAM ARG...      the program's stdout is a terminal (Linux only);
//	                             its stderr is the file terminal.stderr
//	eventually PROGRAM ARG...    the program succeeds before long
func TestScripts(t *testing.T) {
	folders := []string{"testdata", "testdata/long"}
	if testing.Short() {
		folders = folders[:1]
	}
	var files []string
	for _, folder := range folders {
		scripts, err := filepath.Glob(folder + "/*.txtar")
		if err != nil || len(scripts) == 0 {
			t.Fatalf("%s has no scripts: %v", folder, err)
		}
		files = append(files, scripts...)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			return errors.Join(setPrograms(env), setUsers(env), setNamespace(env, client(t)))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "terminal": terminal, "eventually": eventually,
		},
	})
}

// setPrograms gives a script the plugin, kubectl, and a home.
func setPrograms(env *testscript.Env) error {
	home, err := fixture.cluster.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Namespace: "shop"})
	if err != nil {
		return err
	}
	for _, variable := range fixture.programs.Environ(env.WorkDir, home) {
		if name, value, _ := strings.Cut(variable, "="); name != "TMPDIR" {
			env.Setenv(name, value)
		}
	}
	return nil
}

func setUsers(env *testscript.Env) error {
	for _, user := range []string{cluster.Viewer, cluster.Dev, cluster.One, cluster.Lister, cluster.Nobody} {
		kubeconfig, err := fixture.cluster.Kubeconfig(user, cluster.KubeconfigOptions{Namespace: "shop"})
		if err != nil {
			return err
		}
		env.Setenv(strings.ToUpper(user), kubeconfig)
	}
	return nil
}

func setNamespace(env *testscript.Env, client kubernetes.Interface) error {
	namespaces := client.CoreV1().Namespaces()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "script-"}}
	created, err := namespaces.Create(context.Background(), namespace, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	env.Setenv("NS", created.Name)
	env.Defer(func() {
		// It fails after the end of the cluster, and then there is nothing to delete.
		_ = namespaces.Delete(context.Background(), created.Name, metav1.DeleteOptions{})
	})
	return nil
}

// exits runs a program and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		code = ended.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// terminal runs a program on a terminal: util-linux's script makes one.
func terminal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: terminal PROGRAM [ARG...]")
	}
	ts.Check(ts.Exec("script", "--quiet", "--return", "--command", shellquote.Join(args...)+" 2>terminal.stderr", "/dev/null"))
}

// eventually runs a program until it succeeds.
func eventually(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: eventually PROGRAM [ARG...]")
	}
	for range 100 {
		if ts.Exec(args[0], args[1:]...) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("it never succeeds")
}
