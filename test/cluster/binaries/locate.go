// Package binaries builds the programs of the test control plane and tells
// where they are. It imports the standard library alone, so that the command
// that builds them starts fast on a fresh machine.
package binaries

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Release is one of the modules that pin the programs of a control plane.
type Release string

const (
	// Present is the release that the plugin's client libraries are of, with
	// everything that a cluster takes: etcd, kube-apiserver,
	// kube-controller-manager, kube-scheduler, kubectl and kwok.
	Present Release = "controlplane"
	// Previous is an older release: kube-apiserver, kube-controller-manager and
	// kube-scheduler alone.
	Previous Release = "controlplane/previous"
)

// Stages is the file, next to the programs, that tells kwok how nodes become
// Ready and pods Running. It comes from kwok's own module.
const Stages = "stages.yaml"

// ErrMissing says that the programs have not been built from the go.mod and
// go.sum that are there now.
var ErrMissing = errors.New("the programs of the control plane are not built")

// Dir returns the folder that holds the release's programs and, of the present
// one, the Stages file. The error is ErrMissing, with what to run, where they
// have to be built first.
func (r Release) Dir() (string, error) {
	dir, err := r.wanted()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: run `make %s`", ErrMissing, r.target())
	} else if err != nil {
		return "", err
	}
	return dir, nil
}

// Path returns the path of one of the release's programs.
func (r Release) Path(name string) (string, error) {
	dir, err := r.Dir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name+executableSuffix())
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("no program %q in the control plane: %w", name, err)
	}
	return path, nil
}

// target is what makes the programs.
func (r Release) target() string {
	if r == Previous {
		return "controlplane-previous"
	}
	return "controlplane"
}

// wanted is the folder for what go.mod, go.sum, the Go release, the platform
// and the build flags make, whether it is there or not.
func (r Release) wanted() (string, error) {
	root, err := repository()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, recipe, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(r.module(root), name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content)
	}
	key := hex.EncodeToString(sum.Sum(nil))[:16]
	return filepath.Join(root, ".cache", "controlplane", key), nil
}

// repository walks up from the working directory: tests run in the folder of
// their package, commands anywhere in the tree.
func repository() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(Present.module(dir), "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside the repository: no test/controlplane/go.mod above it", start)
		}
	}
}

func (r Release) module(root string) string {
	return filepath.Join(root, "test", filepath.FromSlash(string(r)))
}

func executableSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
