package docs

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// versionIn returns the version of a module that a go.mod names.
func versionIn(t *testing.T, path, module string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(module) + ` (v\S+)`).FindStringSubmatch(read(t, path))
	if found == nil {
		t.Fatalf("%s does not name %s", path, module)
	}
	return found[1]
}

func minorOf(t *testing.T, version string) int {
	t.Helper()
	minor, err := strconv.Atoi(strings.Split(version, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	return minor
}

func TestTheDocumentedVersionsAreThoseThatAreTested(t *testing.T) {
	page := read(t, "docs/install.md")
	clients := versionIn(t, "go.mod", "k8s.io/client-go")
	for _, want := range []string{
		"| Kubernetes | " + versionIn(t, "test/controlplane/go.mod", "k8s.io/kubernetes") + ", a real control plane",
		"| Kubernetes | " + versionIn(t, "test/controlplane/previous/go.mod", "k8s.io/kubernetes") + ", the same way",
		"| k9s | " + versionIn(t, "test/k9s/go.mod", "github.com/derailed/k9s") + " |",
		"| krew | " + versionIn(t, "test/krew/go.mod", "sigs.k8s.io/krew") + " |",
		"client-go v0." + strconv.Itoa(minorOf(t, clients)) + ".",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/install.md has no %q", want)
		}
	}
}

// The client libraries, the control plane beside which they are tested, and its
// kubectl are of one minor; the older control plane is two minors older, which is
// as far as kubectl supports.
func TestTheModulesAreOfOneMinorOfKubernetes(t *testing.T) {
	want := minorOf(t, versionIn(t, "go.mod", "k8s.io/client-go"))
	for _, module := range []string{
		"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/cli-runtime", "k8s.io/kubectl",
	} {
		if got := minorOf(t, versionIn(t, "go.mod", module)); got != want {
			t.Errorf("%s is of 1.%d, client-go of 1.%d", module, got, want)
		}
	}
	if got := minorOf(t, versionIn(t, "test/controlplane/go.mod", "k8s.io/kubernetes")); got != want {
		t.Errorf("the control plane is 1.%d, client-go of 1.%d", got, want)
	}
	if got := minorOf(t, versionIn(t, "test/controlplane/previous/go.mod", "k8s.io/kubernetes")); got != want-2 {
		t.Errorf("the older control plane is 1.%d, want 1.%d", got, want-2)
	}
}

// CONTRIBUTING lists what is kept by hand with each minor of Kubernetes, each with
// the test that notices when it is stale, as DIRECTORY: NAME.
func TestEveryTestOfTheListOfWhatIsKeptByHandExists(t *testing.T) {
	_, list, _ := strings.Cut(read(t, "CONTRIBUTING.md"), "\n## A new Kubernetes minor\n")
	list, _, _ = strings.Cut(list, "\n## ")
	if found := namedTests(t, "CONTRIBUTING.md", list); found < 8 {
		t.Errorf("only %d tests are named", found)
	}
}
