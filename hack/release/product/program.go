package product

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const module = "github.com/kubectl-informer/kubectl-informer"

// program builds the plugin for a platform and returns the program. Nothing of
// the machine gets into it: no path, no commit, no C library, no setting of Go's.
// It is an error if the source's Go is neither there nor to be had.
func (s Source) program(ctx context.Context, platform Platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "informer-program-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, platform.Program())
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X "+module+"/pkg/cmd.version="+s.Version,
		"-o", path, "./cmd/kubectl-informer")
	build.Dir = s.Root
	build.Env = append(build.Environ(),
		"GOTOOLCHAIN="+s.Toolchain, "GOOS="+platform.OS, "GOARCH="+platform.Arch,
		"GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off")
	var said bytes.Buffer
	build.Stdout, build.Stderr = &said, &said
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building for %s with %s: %w\n%s", platform, s.Toolchain, err, said.Bytes())
	}
	return os.ReadFile(path)
}
