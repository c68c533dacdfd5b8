package release

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/hack/release/krew"
	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// installed is the plugin in a home of krew's own.
type installed struct {
	// store is the folder of the version's files, bin the one for a PATH.
	store, bin string
	environ    []string
}

// install lets krew install this platform's archive, without a network, in
// the way of the manifest, whose sums are those of the archive.
func install(t *testing.T) installed {
	t.Helper()
	archive := filepath.Join(t.TempDir(), fixture.platform.ArchiveName(fixture.source.Version))
	write(t, archive, fixture.archive)
	sums := map[product.Platform]string{}
	digest := sha256.Sum256(fixture.archive)
	for _, platform := range product.Platforms() {
		sums[platform] = hex.EncodeToString(digest[:])
	}
	manifest, err := krew.Render(fixture.source.Version, sums)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	kubectl, err := cluster.BinaryPath("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	i := installed{
		store: filepath.Join(home, "store", "informer", fixture.source.Version),
		bin:   filepath.Join(home, "bin"),
	}
	path := []string{i.bin, filepath.Dir(kubectl), os.Getenv("PATH")}
	i.environ = append(os.Environ(), "KREW_ROOT="+home, "HOME="+t.TempDir(),
		"PATH="+strings.Join(path, string(os.PathListSeparator)))
	i.run(t, krewProgram("krew"), "install", "--manifest", asInIndex(t, manifest), "--archive", archive)
	return i
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
		"LICENSE": 0o644, fixture.platform.Completer(): 0o755, fixture.platform.Program(): 0o755,
	} {
		info, err := os.Stat(filepath.Join(here.store, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode() != mode {
			t.Errorf("%s has mode %s, want %s", name, info.Mode(), mode)
		}
	}
	if got := here.kubectl(t, "informer", "version"); !strings.HasPrefix(got, "kubectl-informer "+fixture.source.Version+" (") ||
		!strings.Contains(got, fixture.source.Toolchain+", "+fixture.platform.String()) {
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
	if got := here.run(t, filepath.Join(here.store, fixture.platform.Completer()), "ind"); !strings.HasPrefix(got, want) {
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
	caveats := string(read(t, filepath.Join(root, krew.Manifest)))
	commands := regexp.MustCompile(`(?m)^ {8}cd .*\n {8}ln -s .*$`).FindString(caveats)
	if commands == "" {
		t.Fatal("the manifest's caveats have no commands")
	}
	here.run(t, "sh", "-c", commands)
}
