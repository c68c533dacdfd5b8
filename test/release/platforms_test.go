//go:build release

package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/hack/release/krew"
	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
)

// With all archives at hand, krew's validator installs each of them. It asks
// kubectl for it, and here something that gives krew the archive instead of
// its address: sums, files, LICENSE and program are looked at as in the index.
func TestKrewsValidatorInstallsEveryPlatform(t *testing.T) {
	archives := os.Getenv("RELEASE_ARCHIVES")
	if archives == "" {
		t.Fatal("RELEASE_ARCHIVES has to be a folder with the archives of all platforms: `make release-check` makes them")
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
