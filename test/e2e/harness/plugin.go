// Package harness runs the built plugin, and kubectl beside it, in tests.
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// Programs is a folder of programs for a PATH: the plugin, the name under which
// kubectl asks it for completions, and kubectl.
type Programs struct{ Dir string }

// Build builds the plugin and links kubectl into dir.
func Build(ctx context.Context, dir string) (Programs, error) {
	plugin, err := BuildPlugin(ctx, dir)
	if err != nil {
		return Programs{}, err
	}
	kubectl, err := cluster.BinaryPath("kubectl")
	if err != nil {
		return Programs{}, err
	}
	return Link(dir, plugin, kubectl)
}

// BuildPlugin builds the plugin, with the race detector, into dir and returns its
// path.
func BuildPlugin(ctx context.Context, dir string) (string, error) {
	return build(ctx, dir, "cmd/kubectl-informer", "CGO_ENABLED=1", "-race")
}

// build builds a program of the module into dir and returns its path. Go caches what it
// compiles but not what it links, which takes longest: so the packages of tests share
// one program in .cache, which Go leaves as it is while it is up to date, and each
// copies it.
func build(ctx context.Context, dir, program, variable, flag string) (string, error) {
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the module: %w", err)
	}
	name, root, _ := strings.Cut(strings.TrimSpace(string(module)), " ")
	folder := filepath.Join(root, ".cache", "test")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(folder, "lock")).Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	file := path.Base(program) + suffix()
	shared := filepath.Join(folder, file)
	command := exec.CommandContext(ctx, "go", "build", flag, "-o", shared, name+"/"+program)
	command.Env = append(command.Environ(), variable)
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", file, err, out)
	}
	own := filepath.Join(dir, file)
	return own, copyProgram(own, shared)
}

func copyProgram(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// Link links a plugin and a kubectl, wherever they are, into dir.
func Link(dir, plugin, kubectl string) (Programs, error) {
	for name, target := range map[string]string{
		"kubectl-informer": plugin, "kubectl_complete-informer": plugin, "kubectl": kubectl,
	} {
		link := filepath.Join(dir, name+suffix())
		if link == target {
			continue
		}
		if err := os.Symlink(target, link); err != nil {
			return Programs{}, err
		}
	}
	return Programs{Dir: dir}, nil
}

func suffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// Result is what a program that has ended leaves.
type Result struct {
	Stdout, Stderr string
	// Code is the exit code, -1 if a signal ended the program.
	Code int
}

// Environ is the environment that programs run in: nothing of the tester's own
// configuration, a PATH that begins with the programs, and a KUBECONFIG.
func (p Programs) Environ(home, kubeconfig string) []string {
	return []string{
		"PATH=" + p.Dir + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + home,
		"TMPDIR=" + os.TempDir(),
		"KUBECONFIG=" + kubeconfig,
		"KUBE_CACHE_MUTATION_DETECTOR=true",
		// By default the race detector waits for a second at every exit.
		"GORACE=halt_on_error=1 atexit_sleep_ms=20",
	}
}

// Command returns a program of the folder to be run; it is killed when ctx ends.
func (p Programs) Command(ctx context.Context, env []string, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, filepath.Join(p.Dir, name+suffix()), args...)
	command.Env = env
	return command
}

// Run runs a program of the folder to its end. Only a program that could not be
// run is an error; one that fails has a Code.
func (p Programs) Run(ctx context.Context, env []string, name string, args ...string) (Result, error) {
	var stdout, stderr bytes.Buffer
	command := p.Command(ctx, env, name, args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		err = nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), ctx.Err(), stderr.String())
	}
	return Result{stdout.String(), stderr.String(), command.ProcessState.ExitCode()}, err
}
