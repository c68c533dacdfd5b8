package binaries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// recipe is how the programs are linked. It is part of the folder's key: other
// flags make other programs.
const recipe = "-s -w"

// Build makes the release's programs, unless they are there already, and returns
// their folder. What it does, and what the go command says, goes to log. A first
// build takes ten minutes on two cores; later ones only link.
func (r Release) Build(ctx context.Context, log io.Writer) (string, error) {
	final, err := r.wanted()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	root, err := repository()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(log, "building %s: about ten minutes the first time\n", r.programs())
	return final, buildInto(ctx, builder{release: r, module: r.module(root), log: log}, final)
}

func (r Release) programs() string {
	const kubernetes = "kube-apiserver, kube-controller-manager, kube-scheduler"
	if r == Previous {
		return kubernetes + " of an older release"
	}
	return "etcd, " + kubernetes + ", kubectl and kwok"
}

// buildInto fills a neighbour of the folder and renames it, so that the folder
// is complete as soon as it exists, also when two builds run at once.
func buildInto(ctx context.Context, b builder, final string) error {
	if err := os.MkdirAll(filepath.Dir(final), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(final), "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if err := b.programs(ctx, dir); err != nil {
		return err
	}
	if b.release == Present {
		if err := errors.Join(nameEtcd(dir), b.stages(ctx, dir)); err != nil {
			return err
		}
	}
	if err := os.Rename(dir, final); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

type builder struct {
	release Release
	module  string
	log     io.Writer
}

// programs builds every tool of the module. The version is told to the linker
// as Kubernetes' own build does, for without it the API server calls itself
// v0.0.0 and clients take it for ancient.
func (b builder) programs(ctx context.Context, dir string) error {
	version, err := b.goCommand(ctx, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	const pkg = "k8s.io/component-base/version"
	ldflags := fmt.Sprintf("%s -X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s",
		recipe, pkg, version, pkg, major, pkg, minor)
	_, err = b.goCommand(ctx, "build", "-trimpath", "-ldflags", ldflags, "-o", dir, "tool")
	return err
}

// nameEtcd gives etcd, whose package is called server, its own name.
func nameEtcd(dir string) error {
	suffix := executableSuffix()
	return os.Rename(filepath.Join(dir, "server"+suffix), filepath.Join(dir, "etcd"+suffix))
}

// stages joins the stages that kwok's module ships, those without delays.
func (b builder) stages(ctx context.Context, dir string) error {
	kwok, err := b.goCommand(ctx, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok")
	if err != nil {
		return err
	}
	var all bytes.Buffer
	for _, name := range []string{
		"node/fast/node-initialize.yaml", "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
		"pod/fast/pod-ready.yaml", "pod/fast/pod-complete.yaml", "pod/fast/pod-delete.yaml",
	} {
		content, err := os.ReadFile(filepath.Join(kwok, "kustomize", "stage", filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "---\n%s\n", content)
	}
	return os.WriteFile(filepath.Join(dir, Stages), all.Bytes(), 0o644)
}

// goCommand runs the go command in the module and returns the line it prints.
func (b builder) goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.module
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	cmd.Stderr = b.log
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s in %s: %w", args[0], b.module, err)
	}
	return strings.TrimSpace(string(out)), nil
}
