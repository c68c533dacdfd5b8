package workflows

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// targets are what make can make.
func targets(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, found := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(readFile(t, filepath.Join(root, "Makefile")), -1) {
		names = append(names, found[1])
	}
	return names
}

func TestWhatIsRunIsThere(t *testing.T) {
	known := targets(t)
	called := map[string]bool{}
	check := func(where, script string) {
		for _, found := range regexp.MustCompile(`(?m)(?:^|[;&|] *)make ([a-z0-9-]+)`).FindAllStringSubmatch(script, -1) {
			called[found[1]] = true
			if !slices.Contains(known, found[1]) {
				t.Errorf("%s: there is no target %q", where, found[1])
			}
		}
		for _, path := range regexp.MustCompile(`test/[\w./-]+\.sh\b`).FindAllString(script, -1) {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: %v", where, err)
			}
		}
	}
	for _, w := range workflows(t) {
		for name, job := range w.Jobs {
			for _, step := range job.Steps {
				check(w.path+": "+name, step.Run)
			}
		}
	}
	check(".ci/run", readFile(t, filepath.Join(root, ".ci", "run")))
	makefile := readFile(t, filepath.Join(root, "Makefile"))
	check("Makefile", strings.Join(regexp.MustCompile(`(?m)^\t.*\.sh.*$`).FindAllString(makefile, -1), "\n"))
	check("test/kind/test.sh", readFile(t, filepath.Join(root, "test", "kind", "test.sh")))
	for _, want := range []string{"lint", "test", "test-skew", "kind-test", "vulncheck", "release-compare"} {
		if !called[want] {
			t.Errorf("no workflow calls make %s", want)
		}
	}
}

// The matrix has the minors of the images; each image has its digest, and they
// are three in a row.
func TestTheKindMatrixIsThatOfTheImages(t *testing.T) {
	image := regexp.MustCompile(`^(1\.(\d+)) kindest/node:v1\.(\d+)\.\d+@sha256:[0-9a-f]{64}$`)
	var minors []any
	var newest int
	for line := range strings.Lines(readFile(t, filepath.Join(root, "test", "kind", "images"))) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := image.FindStringSubmatch(strings.TrimSpace(line))
		if fields == nil || fields[2] != fields[3] {
			t.Fatalf("not a minor and its image: %q", line)
		}
		var minor int
		if _, err := fmt.Sscan(fields[2], &minor); err != nil {
			t.Fatal(err)
		}
		if len(minors) == 0 {
			newest = minor
		}
		if want := newest - len(minors); minor != want {
			t.Errorf("1.%d stands where 1.%d should", minor, want)
		}
		minors = append(minors, fields[1])
	}
	for _, w := range workflows(t) {
		if w.path != "kind.yml" {
			continue
		}
		if got, ok := w.Jobs["stories"].Strategy.Matrix["minor"].([]any); !ok || len(minors) != 3 || !slices.Equal(got, minors) {
			t.Errorf("the matrix has %v, the images are of %v", got, minors)
		}
	}
}

func TestTheKindClusterHasTwoWorkers(t *testing.T) {
	var config struct {
		Kind, APIVersion string
		Nodes            []struct{ Role string }
	}
	if err := yaml.UnmarshalStrict([]byte(readFile(t, filepath.Join(root, "test", "kind", "kind.yaml"))), &config); err != nil {
		t.Fatal(err)
	}
	roles := map[string]int{}
	for _, node := range config.Nodes {
		roles[node.Role]++
	}
	if config.Kind != "Cluster" || config.APIVersion != "kind.x-k8s.io/v1alpha4" || roles["control-plane"] != 1 || roles["worker"] != 2 {
		t.Errorf("got %+v", config)
	}
}

func TestDependabotLooksAtModulesAndActions(t *testing.T) {
	var config struct {
		Version int
		Updates []struct {
			Ecosystem string `json:"package-ecosystem"`
			Directory string
			Schedule  struct{ Interval string }
		}
	}
	text, err := yaml.YAMLToJSONStrict([]byte(readFile(t, filepath.Join(root, ".github", "dependabot.yml"))))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	looks := map[string]bool{}
	for _, update := range config.Updates {
		looks[update.Ecosystem+update.Directory] = update.Schedule.Interval != ""
	}
	if config.Version != 2 || !looks["gomod/"] || !looks["github-actions/"] {
		t.Errorf("got %+v", config)
	}
}
