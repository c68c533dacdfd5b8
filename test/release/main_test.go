// Package release tests what users install: the archive of this platform, made
// as a release makes it, and krew, which installs it.
package release

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// root is the repository, seen from this package.
const root = "../.."

// fixture is what the tests of this package share; it is set once, before any
// of them runs.
var fixture struct {
	// source is a copy of the tree, lest someone edits it between two builds.
	source   product.Source
	platform product.Platform
	// archive is this platform's.
	archive []byte
	// krew is the folder of krew, validate-krew-manifest and strict.
	krew string
}

func TestMain(m *testing.M) {
	var err error
	if fixture.platform, err = product.Here(); err != nil {
		fmt.Println("no tests:", err)
		return
	}
	harness.Exit(harness.Run(m, prepare))
}

func prepare(ctx context.Context, dir string) (end func() error, err error) {
	if fixture.krew, err = dir, buildKrew(ctx, dir); err != nil {
		return nil, err
	}
	tree := filepath.Join(dir, "tree")
	if err := copyTree(tree, root); err != nil {
		return nil, err
	}
	if fixture.source, err = product.Open(tree); err != nil {
		return nil, err
	}
	fixture.archive, err = fixture.source.Archive(ctx, fixture.platform)
	return nil, err
}

// buildKrew builds krew's programs into dir.
func buildKrew(ctx context.Context, dir string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", dir, "tool", "./strict")
	build.Dir = filepath.Join(root, "test", "krew")
	build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building krew: %w\n%s", err, out)
	}
	return nil
}

// copyTree copies what an archive is made from.
func copyTree(to, from string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"VERSION", "go.mod", "go.sum", "LICENSE", "README.md"} {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), content, 0o644)
		}
		if err != nil {
			return err
		}
	}
	for _, dir := range []string{"cmd", "pkg", "hack/release", product.Pages} {
		dir = filepath.FromSlash(dir)
		if err := os.CopyFS(filepath.Join(to, dir), os.DirFS(filepath.Join(from, dir))); err != nil {
			return err
		}
	}
	return nil
}

// krewProgram is the path of one of krew's programs.
func krewProgram(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(fixture.krew, name)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
