//go:build release

package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// With all archives at hand, krew's validator installs each of them. It asks
// kubectl for it, and here something that gives krew the archive instead of
// its address: sums, files, LICENSE and program are looked at as in the index.
func TestKrewsValidatorInstallsEveryPlatform(t *testing.T) {
	archives := os.Getenv("RELEASE_ARCHIVES")
	if archives == "" {
		t.Fatal("RELEASE_ARCHIVES has to be a folder with the archives of all platforms: `make release-check` makes them")
	}
	path := asInIndex(t)
	programs := t.TempDir()
	stem := filepath.Join(archives, "kubectl-informer_"+strings.TrimSpace(string(read(t, filepath.Join(root, "VERSION"))))+"_")
	kubectl := `#!/bin/sh
case $KREW_OS in windows) extension=zip ;; *) extension=tar.gz ;; esac
shift
exec "` + program("krew") + `" "$@" --archive "` + stem + `${KREW_OS}_$KREW_ARCH.$extension"
`
	if err := os.WriteFile(filepath.Join(programs, "kubectl"), []byte(kubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	validate := exec.CommandContext(t.Context(), program("validate-krew-manifest"), "-manifest", path)
	validate.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := validate.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := strings.Count(string(out), "installed  spec.platforms["); got != platforms {
		t.Errorf("%d platforms were installed:\n%s", got, out)
	}
}
