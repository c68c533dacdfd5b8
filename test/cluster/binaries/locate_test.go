package binaries

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// emptyRepository makes the working directory a folder deep inside a tree that
// looks like ours and has nothing built.
func emptyRepository(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	write(t, filepath.Join(Present.module(root), "go.mod"), "module x\n")
	write(t, filepath.Join(Present.module(root), "go.sum"), "")
	deep := filepath.Join(root, "test", "e2e")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	return root
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMissingProgramsSayWhatToRun(t *testing.T) {
	emptyRepository(t)
	_, err := Present.Path("kubectl")
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "make controlplane") {
		t.Fatalf("got %v, want an error that says to run `make controlplane`", err)
	}
}

func TestUnknownProgramIsNotCalledUnbuilt(t *testing.T) {
	emptyRepository(t)
	dir, err := Present.wanted()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "kwok"+executableSuffix()), "")
	if path, err := Present.Path("kwok"); err != nil || filepath.Dir(path) != dir {
		t.Fatalf("got %q, %v; want the program in %q", path, err, dir)
	}
	if _, err := Present.Path("kubelet"); err == nil || errors.Is(err, ErrMissing) {
		t.Fatalf("got %v, want an error of its own", err)
	}
}

func TestOtherSumsMeanOtherPrograms(t *testing.T) {
	root := emptyRepository(t)
	before, err := Present.wanted()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(Present.module(root), "go.sum"), "k8s.io/kubernetes v1.38.0 h1:x\n")
	after, err := Present.wanted()
	if err != nil {
		t.Fatal(err)
	}
	if before == after {
		t.Fatalf("both are %q: old programs would be used with new sums", before)
	}
}

func TestAnotherReleaseIsBuiltByAnotherTarget(t *testing.T) {
	root := emptyRepository(t)
	write(t, filepath.Join(Previous.module(root), "go.mod"), "module x/previous\n")
	write(t, filepath.Join(Previous.module(root), "go.sum"), "")
	_, err := Previous.Path("kube-apiserver")
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "make controlplane-previous") {
		t.Fatalf("got %v, want an error that says to run `make controlplane-previous`", err)
	}
	present, err := Present.wanted()
	if err != nil {
		t.Fatal(err)
	}
	if previous, err := Previous.wanted(); err != nil || previous == present {
		t.Fatalf("got %q, %v: the folder of the other release", previous, err)
	}
}

func TestOutsideTheRepositoryIsAnError(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Present.Dir(); err == nil || errors.Is(err, ErrMissing) {
		t.Fatalf("got %v, want an error that names the working directory", err)
	}
}
