package release

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/hack/release/krew"
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
