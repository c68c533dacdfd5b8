package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// installed is the plugin in a home of krew's own.
type installed struct {
	// store is the folder of the version's files, bin the one for a PATH.
	store, bin string
	environ    []string
}

// install lets krew install what `make archive` made, as README says, without a
// network.
func install(t *testing.T) installed {
	t.Helper()
	home := t.TempDir()
	kubectl, err := cluster.BinaryPath("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	i := installed{
		store: filepath.Join(home, "store", "informer", version(t)),
		bin:   filepath.Join(home, "bin"),
	}
	path := []string{i.bin, filepath.Dir(kubectl), os.Getenv("PATH")}
	i.environ = append(os.Environ(), "KREW_ROOT="+home, "HOME="+t.TempDir(),
		"PATH="+strings.Join(path, string(os.PathListSeparator)))
	i.run(t, program("krew"), "install", "--manifest", manifest(fixture.tree), "--archive", archive(fixture.tree))
	return i
}

// version is that of what `make archive` makes.
func version(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(string(read(t, filepath.Join(root, "VERSION")))) + "-dev"
}

// run runs a program that must succeed, and returns its stdout.
func (i installed) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Env = i.environ
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

func (i installed) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	kubectl, err := cluster.BinaryPath("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	return i.run(t, kubectl, args...)
}

// From krew's install to the first answer.
func TestKrewInstallsAndKubectlInformerAnswers(t *testing.T) {
	here := install(t)
	for name, mode := range map[string]os.FileMode{
		"LICENSE": 0o644, "kubectl_complete-informer": 0o755, "kubectl-informer": 0o755,
	} {
		info, err := os.Stat(filepath.Join(here.store, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode() != mode {
			t.Errorf("%s has mode %s, want %s", name, info.Mode(), mode)
		}
	}
	if got := here.kubectl(t, "informer", "version"); !strings.HasPrefix(got, "kubectl-informer "+version(t)+" (") ||
		!strings.Contains(got, ", "+runtime.GOOS+"/"+runtime.GOARCH) {
		t.Errorf("the version is %q", got)
	}

	started, err := cluster.Start(t.Context(), cluster.Options{APIServerOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := started.Stop(); err != nil {
			t.Error(err)
		}
	})
	admin, err := started.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{})
	if err != nil {
		t.Fatal(err)
	}
	here.environ = append(here.environ, "KUBECONFIG="+admin)
	got := here.kubectl(t, "informer", "list", "ns")
	if !regexp.MustCompile(`(?m)^kube-system +Active +\S+$`).MatchString(got) {
		t.Errorf("got:\n%s", got)
	}
}

// What the caveats say, and the program in the archive, both make kubectl
// complete the plugin's words.
func TestKubectlCompletesWhatKrewInstalled(t *testing.T) {
	here := install(t)
	const want = "indexes\t"
	if got := here.run(t, filepath.Join(here.store, "kubectl_complete-informer"), "ind"); !strings.HasPrefix(got, want) {
		t.Errorf("the completer says %q", got)
	}
	if got := here.kubectl(t, "__complete", "informer", "ind"); strings.HasPrefix(got, want) {
		t.Fatalf("kubectl completes without a completer: %q", got)
	}
	link(t, here)
	if got := here.kubectl(t, "__complete", "informer", "ind"); !strings.HasPrefix(got, want) {
		t.Errorf("kubectl completes %q", got)
	}
}

// link does what the caveats say, by running their commands where there is a
// shell for it.
func link(t *testing.T, here installed) {
	t.Helper()
	caveats := string(read(t, filepath.Join(root, ".krew.yaml")))
	commands := regexp.MustCompile(`(?m)^ {8}cd .*\n {8}ln -s .*$`).FindString(caveats)
	if commands == "" {
		t.Fatal("the caveats have no commands")
	}
	here.run(t, "sh", "-c", commands)
}
