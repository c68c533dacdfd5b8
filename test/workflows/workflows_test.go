// Package workflows checks what actionlint (in `make lint`) does not know of
// GitHub's workflows: what this repository has, and how it trusts actions.
package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// workflows are the texts of all workflows by their files' names.
func workflows(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are the workflows %v (%v)", paths, err)
	}
	texts := map[string]string{}
	for _, path := range paths {
		texts[filepath.Base(path)] = read(t, ".github/workflows/"+filepath.Base(path))
	}
	return texts
}

// A tag can be moved to other code, a commit cannot; dependabot keeps the
// version, which is for people, in the comment.
func TestActionsArePinnedByCommit(t *testing.T) {
	pinned := regexp.MustCompile(`uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for name, text := range workflows(t) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s: not a commit with its version: %s", name, line)
			}
		}
	}
}

// Only two jobs get more than what reads.
func TestTokensOnlyReadUnlessAJobMustWrite(t *testing.T) {
	mayWrite := []string{
		"release.yml: contents: write # the release", "release.yml: id-token: write # cosign's certificate",
		"codeql.yml: security-events: write # what it finds",
	}
	for name, text := range workflows(t) {
		if !regexp.MustCompile(`(?m)^permissions:( \{\}|\n  contents: read)$`).MatchString(text) {
			t.Errorf("%s: without permissions of its own the token has the repository's", name)
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if regexp.MustCompile(`^[a-z-]+: write\b|write-all`).MatchString(line) && !slices.Contains(mayWrite, name+": "+line) {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

func TestWhatIsRunIsThere(t *testing.T) {
	makefile := read(t, "Makefile")
	texts := workflows(t)
	for _, name := range []string{".ci/run", "test/kind/test.sh", "Makefile"} {
		texts[name] = read(t, name)
	}
	called := map[string]bool{}
	for name, text := range texts {
		for _, found := range regexp.MustCompile(`(?m)(?:^|run: |[;&|] *)make ([a-z0-9-]+)`).FindAllStringSubmatch(text, -1) {
			called[found[1]] = true
			if !regexp.MustCompile(`(?m)^` + found[1] + `:`).MatchString(makefile) {
				t.Errorf("%s: there is no target %q", name, found[1])
			}
		}
		for _, path := range regexp.MustCompile(`(?:test|hack)/[\w./-]+\.sh\b`).FindAllString(text, -1) {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, want := range []string{"lint", "test", "test-skew", "kind-test", "vulncheck", "release"} {
		if !called[want] {
			t.Errorf("no workflow calls make %s", want)
		}
	}
}

// The matrix has the minors of the images, three in a row, pinned by digest, and
// the newest is that of the client libraries.
func TestTheKindMatrixIsThatOfTheImages(t *testing.T) {
	module := regexp.MustCompile(`(?m)^\s*k8s\.io/client-go v0\.(\d+)\.`).FindStringSubmatch(read(t, "go.mod"))
	images := regexp.MustCompile(`(?m)^1\.(\d+) kindest/node:v1\.(\d+)\.\d+@sha256:[0-9a-f]{64}$`).FindAllStringSubmatch(read(t, "test/kind/images"), -1)
	var workflow struct {
		Jobs struct {
			Stories struct {
				Strategy struct{ Matrix struct{ Minor []string } }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/kind.yml")), &workflow); err != nil {
		t.Fatal(err)
	}
	var minors []string
	for _, image := range images {
		if image[1] != image[2] {
			t.Errorf("not the image of its minor: %s", image[0])
		}
		minors = append(minors, "1."+image[1])
	}
	if got := workflow.Jobs.Stories.Strategy.Matrix.Minor; len(minors) != 3 || !slices.Equal(got, minors) {
		t.Errorf("the matrix has %v, the images are of %v", got, minors)
	}
	if len(minors) > 0 && minors[0] != "1."+module[1] {
		t.Errorf("the newest image is of %s, client-go of 1.%s", minors[0], module[1])
	}
}
