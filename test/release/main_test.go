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
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// root is the repository, seen from this package.
const root = "../.."

// fixture is what the tests of this package share; it is set once, before any
// of them runs.
var fixture struct {
	// bin has hack/release, krew, validate-krew-manifest and strict.
	bin string
	// tree is a copy of the repository, lest someone edits it between two builds.
	// Its dist has this platform's archive, and krew's manifest of it.
	tree string
}

func TestMain(m *testing.M) {
	if runtime.GOOS == "windows" {
		fmt.Println("no tests: only GoReleaser makes archives for Windows")
		return
	}
	harness.Exit(harness.Run(m, prepare))
}

func prepare(ctx context.Context, dir string) (end func() error, err error) {
	fixture.bin, fixture.tree = filepath.Join(dir, "bin"), filepath.Join(dir, "tree")
	if err := goBuild(ctx, filepath.Join(root, "test", "krew"), "tool", "./strict"); err != nil {
		return nil, err
	}
	if err := goBuild(ctx, root, "./hack/release"); err != nil {
		return nil, err
	}
	if err := copyTree(fixture.tree); err != nil {
		return nil, err
	}
	return nil, makeArchive(ctx, fixture.tree)
}

// goBuild builds programs of a module into fixture.bin.
func goBuild(ctx context.Context, module string, packages ...string) error {
	build := exec.CommandContext(ctx, "go", append([]string{"build", "-o", fixture.bin + string(filepath.Separator)}, packages...)...)
	build.Dir = module
	build.Env = append(build.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", strings.Join(packages, " "), err, out)
	}
	return nil
}

// makeArchive does what `make archive` does, in a tree.
func makeArchive(ctx context.Context, tree string) error {
	command := exec.CommandContext(ctx, program("release"), "archive")
	command.Dir = tree
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("release archive: %w\n%s", err, out)
	}
	return nil
}

// copyTree copies what an archive is made from.
func copyTree(to string) error {
	for _, name := range []string{"VERSION", "go.mod", "go.sum", "LICENSE", "README.md", ".goreleaser.yaml", ".krew.yaml", "cmd", "pkg", "hack"} {
		from, to := filepath.Join(root, name), filepath.Join(to, name)
		info, err := os.Stat(from)
		if err != nil {
			return err
		}
		if info.IsDir() {
			err = os.CopyFS(to, os.DirFS(from))
		} else {
			err = copyFile(to, from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}

// program is the path of a program that was built for the tests.
func program(name string) string { return filepath.Join(fixture.bin, name) }

// archive and manifest are what `make archive` leaves in a tree.
func archive(tree string) string  { return filepath.Join(tree, "dist", "kubectl-informer.tar.gz") }
func manifest(tree string) string { return filepath.Join(tree, "dist", "informer.yaml") }

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
