package release

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/hack/release/krew"
	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
)

// Krew's index wants the file to be called after the plugin.
func asInIndex(t *testing.T, manifest []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "informer.yaml")
	write(t, path, manifest)
	return path
}

func TestKrewsValidatorTakesTheManifest(t *testing.T) {
	path := asInIndex(t, read(t, filepath.Join(root, krew.Manifest)))
	out, err := exec.CommandContext(t.Context(), krewProgram("validate-krew-manifest"), "-manifest", path, "-skip-install").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Krew overlooks a field that it does not know, and with it what it says.
func TestTheManifestHasNoFieldThatKrewDoesNotKnow(t *testing.T) {
	manifest := read(t, filepath.Join(root, krew.Manifest))
	if out, err := strict(t, manifest); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	misspelt := bytes.Replace(manifest, []byte("\n  caveats:"), []byte("\n  caveat:"), 1)
	if out, err := strict(t, misspelt); err == nil || !strings.Contains(out, `unknown field "caveat"`) {
		t.Errorf("a misspelt field was taken: %v\n%s", err, out)
	}
}

func strict(t *testing.T, manifest []byte) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), krewProgram("strict"))
	command.Stdin = bytes.NewReader(manifest)
	out, err := command.CombinedOutput()
	return string(out), err
}

// With all archives at hand, krew's validator installs each of them. It asks
// kubectl for it, and here something that gives krew the archive instead of
// its address: sums, files, LICENSE and program are looked at as in the index.
func TestKrewsValidatorInstallsEveryPlatform(t *testing.T) {
	archives := os.Getenv("RELEASE_ARCHIVES")
	if archives == "" {
		t.Skip("`make release-check` sets RELEASE_ARCHIVES to a folder with the archives of all platforms")
	}
	path := asInIndex(t, read(t, filepath.Join(root, krew.Manifest)))
	programs := t.TempDir()
	stem := filepath.Join(archives, "kubectl-informer_"+fixture.source.Version+"_")
	kubectl := `#!/bin/sh
case $KREW_OS in windows) extension=zip ;; *) extension=tar.gz ;; esac
shift
exec "` + krewProgram("krew") + `" "$@" --archive "` + stem + `${KREW_OS}_$KREW_ARCH.$extension"
`
	if err := os.WriteFile(filepath.Join(programs, "kubectl"), []byte(kubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	validate := exec.CommandContext(t.Context(), krewProgram("validate-krew-manifest"), "-manifest", path)
	validate.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := validate.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := strings.Count(string(out), "installed  spec.platforms["); got != len(product.Platforms()) {
		t.Errorf("%d platforms were installed:\n%s", got, out)
	}
}
