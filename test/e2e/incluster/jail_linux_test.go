package incluster

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

const (
	repository = "../../.."
	// entrypoint is where the Dockerfile puts the plugin.
	entrypoint = "/usr/local/bin/kubectl-informer"
	// account is where a pod finds its ServiceAccount.
	account = "/var/run/secrets/kubernetes.io/serviceaccount"
	version = "v9.8.7-test"
)

// imageBuild builds the plugin as the Dockerfile says, once.
var imageBuild = sync.OnceValues(func() ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(repository, "Dockerfile"))
	if err != nil {
		return nil, err
	}
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	run := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0) GOOS=\$TARGETOS GOARCH=\$TARGETARCH +go (build .*) -o /out/ (\S+)$`).FindStringSubmatch(joined)
	if run == nil {
		return nil, errors.New("the Dockerfile does not build as expected")
	}
	flags, err := shellquote.Split(strings.ReplaceAll(run[2], "$VERSION", version))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "image-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", append(flags, "-o", dir+"/", run[3])...)
	build.Dir, build.Env = repository, append(os.Environ(), run[1])
	if out, err := build.CombinedOutput(); err != nil {
		return nil, errors.New(string(out))
	}
	return os.ReadFile(filepath.Join(dir, "kubectl-informer"))
})

// jail is a container in a root directory of its own, with no more in it than the image
// of the Dockerfile's target plugin has: it runs as the user of its pod, cannot write
// but to its volumes, and finds the API server as a pod does.
type jail struct {
	*container
	root string
}

func (c *container) jail() *jail {
	c.Helper()
	j := &jail{c, c.TempDir()}
	program, err := imageBuild()
	if err != nil {
		c.Fatal(err)
	}
	admin, err := stage.cluster.Config(cluster.Admin)
	if err != nil {
		c.Fatal(err)
	}
	j.write(entrypoint, program, 0o755)
	j.write(account+"/token", []byte(c.token()), 0o644)
	j.write(account+"/ca.crt", admin.CAData, 0o644)
	j.write(account+"/namespace", []byte(c.pod.Namespace), 0o644)
	for mount := range c.mounts {
		if err := errors.Join(os.MkdirAll(j.root+mount, 0o755), os.Chmod(j.root+mount, 0o777)); err != nil {
			c.Fatal(err)
		}
	}
	if err := os.Chmod(j.root, 0o555); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if err := os.Chmod(j.root, 0o755); err != nil {
			c.Error(err)
		}
	})
	return j
}

func (j *jail) write(path string, data []byte, mode os.FileMode) {
	j.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(j.root+path), 0o755), os.WriteFile(j.root+path, data, mode)); err != nil {
		j.Fatal(err)
	}
}

// command is a command of the container.
func (j *jail) command(name string, args ...string) *exec.Cmd {
	j.Helper()
	host, port, _ := strings.Cut(stage.cluster.Address(), ":")
	command := exec.CommandContext(j.Context(), name, args...)
	command.Dir = "/"
	command.Env = []string{"PATH=/usr/local/bin", "KUBERNETES_SERVICE_HOST=" + host, "KUBERNETES_SERVICE_PORT=" + port}
	for name, value := range j.environment() {
		command.Env = append(command.Env, name+"="+value)
	}
	user := int(*j.pod.Spec.SecurityContext.RunAsUser)
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: j.root}
	if os.Geteuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}
		return command
	}
	command.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}}
	command.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}}
	return command
}

// run runs a command of the container to its end.
func (j *jail) run(name string, args ...string) harness.Result {
	j.Helper()
	return j.follow(j.command(name, args...)).end()
}

// needsJails skips a test where the system lets nobody change the root directory: the
// manifests are run without, too.
func needsJails(t *testing.T) {
	t.Helper()
	probe := exec.CommandContext(t.Context(), "/none")
	j := &jail{container: &container{T: t}, root: t.TempDir()}
	probe.SysProcAttr = &syscall.SysProcAttr{Chroot: j.root}
	if os.Geteuid() != 0 {
		probe.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		probe.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 65532, HostID: os.Getuid(), Size: 1}}
	}
	if err := probe.Run(); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skipf("a root directory of one's own takes root, or unprivileged user namespaces: %v", err)
	}
}

// The manifests' pods with nothing around them but what a pod has: the binary of the
// image, the files of the ServiceAccount, and the in-cluster environment.
func TestPodsRunInTheImageWithTheEnvironmentOfACluster(t *testing.T) {
	t.Parallel()
	needsJails(t)
	t.Run("job.yaml", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		want := p.configMaps(12)
		var listed []string
		for _, pod := range p.deployed("job.yaml") {
			j := newContainer(t, pod, nil).jail()
			ended := j.run(entrypoint, j.expanded(j.spec.Args)...)
			if ended.Code != 0 || ended.Stderr != "" {
				t.Fatalf("%+v", ended)
			}
			listed = slices.AppendSeq(listed, strings.Lines(ended.Stdout))
		}
		if slices.Sort(listed); !slices.Equal(listed, want) {
			t.Errorf("listed are %q, there are %q", listed, want)
		}
	})
	t.Run("cronjob.yaml", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		j := newContainer(t, p.deployed("cronjob.yaml")[0], nil).jail()
		p.labelled("one", "1")
		for _, want := range []string{"ADDED one 1", ""} {
			ended := j.run(entrypoint, j.expanded(j.spec.Args)...)
			if got := strings.Join(story(events(t, slices.Collect(strings.Lines(ended.Stdout)))), ", "); ended.Code != 0 || ended.Stderr != "" || got != want {
				t.Errorf("got %q, want %q: %+v", got, want, ended)
			}
		}
	})
	t.Run("deployment.yaml", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		j := newContainer(t, p.deployed("deployment.yaml")[0], nil).jail()
		leads := j.follow(j.command(entrypoint, j.expanded(j.spec.Args)...))
		leads.says("leading: lease " + p.namespace + "/" + lease)
		leads.tells("ADDED", `"name":"informer-leader"`)
		for _, probe := range [][]string{j.spec.StartupProbe.Exec.Command, j.spec.ReadinessProbe.Exec.Command, j.spec.LivenessProbe.Exec.Command} {
			if probe[0] != filepath.Base(entrypoint) {
				t.Errorf("the image has no %s", probe[0])
			}
			p.eventually(func() error {
				if ended := j.run(entrypoint, probe[1:]...); ended.Code != 0 {
					return errors.New(ended.Stderr)
				}
				return nil
			})
		}
		if err := leads.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if ended := leads.end(); ended.Code != 143 || strings.Count(ended.Stderr, "\n") != 1 {
			t.Errorf("%+v", ended)
		}
		if said := j.run(entrypoint, "version"); said.Code != 0 || !strings.Contains(said.Stdout, version) {
			t.Errorf("%+v", said)
		}
		// That it could not have written elsewhere is what the above rests on.
		if refused := j.run(entrypoint, "tail", "deployments", "--record", "/record"); refused.Code != 1 || !strings.Contains(refused.Stderr, "permission denied") {
			t.Errorf("%+v", refused)
		}
	})
}
