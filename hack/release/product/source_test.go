package product

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func tree(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestVersionAndToolchainComeFromTheTree(t *testing.T) {
	source, err := Open(tree(t, map[string]string{
		"VERSION": "v1.2.3-rc.1\n",
		"go.mod":  "module x\n\ngo 1.26.0\n\ntoolchain go1.26.8\n",
	}))
	if err != nil || source.Version != "v1.2.3-rc.1" || source.Toolchain != "go1.26.8" {
		t.Errorf("got %+v, %v", source, err)
	}
}

func TestATreeThatDoesNotSayIsAnError(t *testing.T) {
	for want, files := range map[string]map[string]string{
		`"1.2.3", which is no version`:   {"VERSION": "1.2.3\n", "go.mod": "toolchain go1.26.8\n"},
		"go.mod has no toolchain line":   {"VERSION": "v1.2.3\n", "go.mod": "module x\n\ngo 1.26.0\n"},
		"VERSION: no such file":          {"go.mod": "toolchain go1.26.8\n"},
		"go.mod: no such file":           {"VERSION": "v1.2.3\n"},
		`"v1.2.3\nv1", which is no vers`: {"VERSION": "v1.2.3\nv1\n", "go.mod": "toolchain go1.26.8\n"},
	} {
		if _, err := Open(tree(t, files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// An archive without its pages was made when they had not been generated.
func TestNoArchiveWithoutItsPages(t *testing.T) {
	source := Source{Root: tree(t, map[string]string{"LICENSE": "", "README.md": ""}), Version: "v1.2.3", Toolchain: "go1.26.8"}
	_, err := source.Archive(context.Background(), Platform{OS: "linux", Arch: "amd64"})
	if err == nil || !strings.Contains(err.Error(), "no manual pages in docs/man") {
		t.Errorf("got %v", err)
	}
}

// kubectl looks for a program by the endings that Windows knows.
func TestNamesOfEachPlatform(t *testing.T) {
	for platform, want := range map[Platform][3]string{
		{"linux", "amd64"}:   {"kubectl-informer", "kubectl_complete-informer", "kubectl-informer_v1.2.3_linux_amd64.tar.gz"},
		{"darwin", "arm64"}:  {"kubectl-informer", "kubectl_complete-informer", "kubectl-informer_v1.2.3_darwin_arm64.tar.gz"},
		{"windows", "amd64"}: {"kubectl-informer.exe", "kubectl_complete-informer.cmd", "kubectl-informer_v1.2.3_windows_amd64.zip"},
	} {
		if got := [3]string{platform.Program(), platform.Completer(), platform.ArchiveName("v1.2.3")}; got != want {
			t.Errorf("%s: got %q, want %q", platform, got, want)
		}
	}
}
