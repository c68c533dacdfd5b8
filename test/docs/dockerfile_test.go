package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instruction is one of a Dockerfile.
type instruction struct{ name, value string }

// stages are the instructions of a Dockerfile's stages by their names; those before the
// first have none.
func stages(t *testing.T) map[string][]instruction {
	t.Helper()
	found := map[string][]instruction{}
	stage := ""
	for line := range strings.Lines(strings.ReplaceAll(read(t, "Dockerfile"), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, _ := strings.Cut(line, " ")
		if name == "FROM" {
			_, stage, _ = strings.Cut(value, " AS ")
		}
		found[stage] = append(found[stage], instruction{name, value})
	}
	return found
}

// values are those of the instructions with a name.
func values(stage []instruction, name string) (values []string) {
	for _, one := range stage {
		if one.name == name {
			values = append(values, one.value)
		}
	}
	return values
}

// There is no Docker in tests: what can be wrong about the images without it is looked
// for here, and the binary is built and run by test/e2e/incluster.
func TestTheImagesHaveThePluginAndNoRoot(t *testing.T) {
	all := stages(t)
	if _, ok := all["build"]; !ok || len(all) != 4 {
		t.Fatalf("the stages are %v", all)
	}
	for target, entrypoint := range map[string]string{
		"plugin":  `["/usr/local/bin/kubectl-informer"]`,
		"command": `["/sbin/tini", "--", "/usr/local/bin/kubectl-informer"]`,
	} {
		stage := all[target]
		user := values(stage, "USER")
		if len(user) != 1 || !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(user[0]) {
			t.Errorf("%s: the user is %q, which Kubernetes cannot tell from root", target, user)
		}
		const copied = "--from=build /out/kubectl-informer /usr/local/bin/kubectl-informer"
		if got := values(stage, "COPY"); !slices.Equal(got, []string{copied}) {
			t.Errorf("%s: copied is %q", target, got)
		}
		if got := values(stage, "ENTRYPOINT"); !slices.Equal(got, []string{entrypoint}) {
			t.Errorf("%s: the entry point is %q", target, got)
		}
		for _, text := range []string{read(t, "Dockerfile"), read(t, "docs/in-cluster/README.md")} {
			if !strings.Contains(text, "docker build --target "+target+" ") {
				t.Errorf("nobody is told how to build %s", target)
			}
		}
	}
	manifest := read(t, "docs/in-cluster/deployment.yaml")
	if user, _, _ := strings.Cut(values(all["plugin"], "USER")[0], ":"); !strings.Contains(manifest, "runAsUser: "+user+"\n") {
		t.Errorf("the manifests run as another user than %s", user)
	}
}

func TestTheImagesAreBuiltFromWhatIsThere(t *testing.T) {
	build := stages(t)["build"]
	context := strings.Split(read(t, ".dockerignore"), "\n")
	var copied []string
	for _, copy := range values(build, "COPY") {
		words := strings.Fields(copy)
		copied = append(copied, words[:len(words)-1]...)
	}
	if len(copied) < 4 {
		t.Errorf("copied are %q", copied)
	}
	for _, source := range copied {
		if _, err := os.Stat(filepath.Join(root, source)); err != nil || !slices.Contains(context, "!"+source) {
			t.Errorf("%s is copied: %v, and the context is %q", source, err, context)
		}
	}
}

// The image's binary is built as any other.
func TestTheImagesAreBuiltWithTheFlagsOfTheMakefile(t *testing.T) {
	flags := regexp.MustCompile(`CGO_ENABLED=0 .*?go build (.*?)\s-o `)
	made := flags.FindStringSubmatch(strings.ReplaceAll(read(t, "Makefile"), "\\\n", " "))
	run := values(stages(t)["build"], "RUN")
	image := flags.FindStringSubmatch(run[len(run)-1])
	if made == nil || image == nil {
		t.Fatalf("%q, %q", made, image)
	}
	module := regexp.MustCompile(`(?m)^MODULE = (.*)$`).FindStringSubmatch(read(t, "Makefile"))[1]
	want := strings.NewReplacer("$(MODULE)", module, "$$version", "$VERSION").Replace(made[1])
	if got := strings.TrimSpace(image[1]); got != strings.TrimSpace(want) {
		t.Errorf("the image is built with\n%s\nmake build with\n%s", got, want)
	}
}

func TestTheImagesHaveTheVersionsThatAreTested(t *testing.T) {
	dockerfile := read(t, "Dockerfile")
	kubernetes := versionIn(t, "test/controlplane/go.mod", "k8s.io/kubernetes")
	golang := regexp.MustCompile(`(?m)^go 1\.(\d+)`).FindStringSubmatch(read(t, "go.mod"))[1]
	minor, err := strconv.Atoi(golang)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ARG KUBECTL_VERSION=" + kubernetes + "\n", "ARG GO_VERSION=1." + strconv.Itoa(minor) + "\n"} {
		if !strings.Contains(dockerfile, want) {
			t.Errorf("the Dockerfile has no %s", want)
		}
	}
}
