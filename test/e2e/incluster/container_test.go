package incluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// container is the container of a pod, which is run as a process of this machine. Where
// its volumes are mounted in a cluster, folders of this machine stand for them, and
// paths below them in its arguments lead there. It finds the API server by a
// kubeconfig, since a pod finds it by files whose path is fixed; jailed containers find it
// by those.
type container struct {
	*testing.T
	pod    corev1.Pod
	spec   corev1.Container
	mounts map[string]string
	server string // empty is the API server itself
}

// newContainer is the container of a pod, with volumes of its own, but for those given.
func newContainer(t *testing.T, pod corev1.Pod, shared map[string]string) *container {
	t.Helper()
	c := &container{T: t, pod: pod, spec: pod.Spec.Containers[0], mounts: map[string]string{}}
	for _, mount := range c.spec.VolumeMounts {
		c.mounts[mount.MountPath] = shared[mount.MountPath]
		if c.mounts[mount.MountPath] == "" {
			c.mounts[mount.MountPath] = t.TempDir()
		}
	}
	return c
}

// environment is what the container's env says, as a kubelet reads it.
func (c *container) environment() map[string]string {
	c.Helper()
	field := regexp.MustCompile(`^metadata\.labels\['(.*)'\]$`)
	env := map[string]string{}
	for _, variable := range c.spec.Env {
		env[variable.Name] = variable.Value
		if variable.ValueFrom == nil {
			continue
		}
		label := field.FindStringSubmatch(variable.ValueFrom.FieldRef.FieldPath)
		value, ok := "", false
		if label != nil {
			value, ok = c.pod.Labels[label[1]]
		}
		if !ok {
			c.Fatalf("the pod %s has no %s", c.pod.Name, variable.ValueFrom.FieldRef.FieldPath)
		}
		env[variable.Name] = value
	}
	return env
}

// expanded are words in which $(NAME) stands for a variable.
func (c *container) expanded(words []string) []string {
	c.Helper()
	env := c.environment()
	reference := regexp.MustCompile(`\$\((\w+)\)`)
	var expanded []string
	for _, word := range words {
		expanded = append(expanded, reference.ReplaceAllStringFunc(word, func(name string) string {
			value, ok := env[reference.FindStringSubmatch(name)[1]]
			if !ok {
				c.Fatalf("the container has no variable %s", name)
			}
			return value
		}))
	}
	return expanded
}

// here is a word of the container on this machine: a path of it, or a flag with a path,
// leads to where it is here.
func (c *container) here(word string) string {
	flag, path := "", word
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "--") {
		flag, path = name+"=", value
	}
	for mount, folder := range c.mounts {
		if path == mount || strings.HasPrefix(path, mount+"/") {
			return flag + folder + strings.TrimPrefix(path, mount)
		}
	}
	return word
}

// token is one of the pod's ServiceAccount, as a kubelet asks for it.
func (c *container) token() string {
	c.Helper()
	request := &authenticationv1.TokenRequest{}
	if c.pod.UID != "" {
		request.Spec.BoundObjectRef = &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: c.pod.Name, UID: c.pod.UID}
	}
	accounts := stage.client.CoreV1().ServiceAccounts(c.pod.Namespace)
	answer, err := accounts.CreateToken(c.Context(), c.pod.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		c.Fatal(err)
	}
	return answer.Status.Token
}

// kubeconfig has the pod's token in a file, and its namespace.
func (c *container) kubeconfig() string {
	c.Helper()
	dir := c.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte(c.token()), 0o600); err != nil {
		c.Fatal(err)
	}
	admin, err := stage.cluster.Config(cluster.Admin)
	if err != nil {
		c.Fatal(err)
	}
	server := c.server
	if server == "" {
		server = admin.Host
	}
	config := clientcmdapi.NewConfig()
	config.CurrentContext = "pod"
	config.Clusters["pod"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: admin.CAData}
	config.AuthInfos["pod"] = &clientcmdapi.AuthInfo{TokenFile: token}
	config.Contexts["pod"] = &clientcmdapi.Context{Cluster: "pod", AuthInfo: "pod", Namespace: c.pod.Namespace}
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		c.Fatal(err)
	}
	return path
}

// start runs what the container runs, with more arguments behind its own.
func (c *container) start(more ...string) *process {
	c.Helper()
	env := c.environment()
	environ := stage.programs.Environ(c.here(env["HOME"]), c.kubeconfig())
	for name, value := range env {
		if name != "HOME" {
			environ = append(environ, name+"="+value)
		}
	}
	var args []string
	for _, arg := range c.expanded(c.spec.Args) {
		args = append(args, c.here(arg))
	}
	return c.follow(stage.programs.Command(c.Context(), environ, "kubectl-informer", append(args, more...)...))
}

// follow starts a command, which the test ends at last.
func (c *container) follow(command *exec.Cmd) *process {
	c.Helper()
	started, err := harness.Follow(command)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if err := started.Kill(); err != nil {
			c.Error(err)
		}
	})
	return &process{started, c.T}
}

// probe runs what a probe of the container runs.
func (c *container) probe(probe *corev1.Probe, more ...string) harness.Result {
	c.Helper()
	if probe == nil {
		c.Fatalf("the pod %s has no such probe", c.pod.Name)
	}
	var args []string
	for _, arg := range probe.Exec.Command[1:] {
		args = append(args, c.here(arg))
	}
	result, err := stage.programs.Run(c.Context(), nil, probe.Exec.Command[0], append(args, more...)...)
	if err != nil {
		c.Fatal(err)
	}
	return result
}

// untilHealthy waits until a probe says so.
func (c *container) untilHealthy() {
	c.Helper()
	err := harness.Eventually(c.Context(), func() error {
		if result := c.probe(c.spec.StartupProbe); result.Code != 0 {
			return fmt.Errorf("%+v", result)
		}
		return nil
	})
	if err != nil {
		c.Fatal(err)
	}
}

// process is what a container runs, or has run.
type process struct {
	*harness.Stream
	t *testing.T
}

// end waits for its end.
func (p *process) end() harness.Result {
	p.t.Helper()
	result, err := p.Wait()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := result.Noise(); err != nil {
		p.t.Error(err)
	}
	return result
}

// succeeds waits for its end and returns its lines, in order.
func (p *process) succeeds() []string {
	p.t.Helper()
	result := p.end()
	if result.Code != 0 || result.Stderr != "" {
		p.t.Fatalf("%+v", result)
	}
	return slices.Sorted(strings.Lines(result.Stdout))
}

// says waits until a line on stderr begins so.
func (p *process) says(beginning string) {
	p.t.Helper()
	err := p.Until(func(_, stderr []string) bool {
		return slices.ContainsFunc(stderr, func(line string) bool { return strings.HasPrefix(line, beginning) })
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// tells waits until a line on stdout has all words.
func (p *process) tells(words ...string) {
	p.t.Helper()
	err := p.Until(func(stdout, _ []string) bool {
		return slices.ContainsFunc(stdout, func(line string) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) })
		})
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// configMaps creates ConfigMaps, and returns all names of the namespace, as -o name has them.
func (p *place) configMaps(count int) (names []string) {
	p.Helper()
	client := stage.client.CoreV1().ConfigMaps(p.namespace)
	for n := range count {
		one := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("object-", n)}}
		if _, err := client.Create(p.Context(), one, metav1.CreateOptions{}); err != nil {
			p.Fatal(err)
		}
	}
	p.eventually(func() error { // a controller creates it in each namespace
		_, err := client.Get(p.Context(), "kube-root-ca.crt", metav1.GetOptions{})
		return err
	})
	return slices.Sorted(strings.Lines(p.kubectl("get", "configmaps", "-o", "name")))
}

// labelled creates or labels a Deployment that makes no pods. Once its controller has seen
// it, nothing else changes it.
func (p *place) labelled(name, label string) {
	p.Helper()
	patch := fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,"labels":{"turn":%q}},
		"spec":{"replicas":0,"selector":{"matchLabels":{"app":%q}},"template":{"metadata":{"labels":{"app":%q}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
		name, label, name, name)
	deployments := stage.client.AppsV1().Deployments(p.namespace)
	_, err := deployments.Patch(p.Context(), name, "application/apply-patch+yaml", []byte(patch),
		metav1.PatchOptions{FieldManager: "test", Force: new(true)})
	if err != nil {
		p.Fatal(err)
	}
	if err := harness.Eventually(p.Context(), func() error {
		d, err := deployments.Get(p.Context(), name, metav1.GetOptions{})
		if err == nil && d.Status.ObservedGeneration < d.Generation {
			err = fmt.Errorf("deployment %q has not been seen by its controller", name)
		}
		return err
	}); err != nil {
		p.Fatal(err)
	}
}
