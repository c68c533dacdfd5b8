// Package workflows checks what nothing here can run: GitHub's workflows, the
// scripts of the kind cluster, and that they name what is there.
package workflows

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const root = "../.."

// workflow is what of a workflow is checked.
type workflow struct {
	Name        string
	Permissions *permissions
	Concurrency *struct{ Group string }
	Jobs        map[string]job
}

type job struct {
	Permissions    *permissions
	RunsOn         string `json:"runs-on"`
	TimeoutMinutes int    `json:"timeout-minutes"`
	Strategy       struct{ Matrix map[string]any }
	Steps          []step
}

type step struct {
	Uses, Run string
	With      map[string]any
}

// permissions are those of a token, by what they are for.
type permissions map[string]string

// UnmarshalJSON takes no shorthand such as write-all.
func (p *permissions) UnmarshalJSON(text []byte) error {
	byScope := map[string]string{}
	if err := json.Unmarshal(text, &byScope); err != nil {
		return errors.New("permissions have to be named one by one")
	}
	*p = byScope
	return nil
}

// source is a workflow and its text.
type source struct {
	path, text string
	workflow
}

// workflows reads all of them.
func workflows(t *testing.T) []source {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(paths) < 6 {
		t.Fatalf("there are the workflows %v (%v)", paths, err)
	}
	var all []source
	for _, path := range paths {
		read := source{path: filepath.Base(path), text: readFile(t, path)}
		asJSON, err := yaml.YAMLToJSONStrict([]byte(read.text))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := json.Unmarshal(asJSON, &read.workflow); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(read.Jobs) == 0 {
			t.Errorf("%s has no jobs", path)
		}
		all = append(all, read)
	}
	return all
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A tag can be moved to other code, a commit cannot; dependabot keeps the
// version, which is for people, in the comment.
func TestActionsArePinnedByCommit(t *testing.T) {
	pinned := regexp.MustCompile(`^\s*(- )?uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	commits := map[string]string{}
	for _, w := range workflows(t) {
		for line := range strings.Lines(w.text) {
			line = strings.TrimSuffix(line, "\n")
			if !strings.Contains(line, "uses:") {
				continue
			}
			if !pinned.MatchString(line) {
				t.Errorf("%s: not a commit with its version: %s", w.path, line)
				continue
			}
			action, commit, _ := strings.Cut(strings.TrimSpace(line[strings.Index(line, "uses:")+5:]), "@")
			if parts := strings.Split(action, "/"); len(parts) > 2 {
				action = strings.Join(parts[:2], "/")
			}
			if other, found := commits[action]; found && other != commit {
				t.Errorf("%s: %s is %s here and %s elsewhere", w.path, action, commit, other)
			}
			commits[action] = commit
		}
	}
}

func TestTokensMayDoNoMoreThanIsNeeded(t *testing.T) {
	// What may be written, by workflow and job.
	mayWrite := map[string][]string{
		"release.yml/release": {"contents", "id-token"},
		"codeql.yml/analyze":  {"security-events"},
	}
	for _, w := range workflows(t) {
		if w.Permissions == nil {
			t.Errorf("%s: without permissions the token has the repository's", w.path)
			continue
		}
		for scope, level := range *w.Permissions {
			if level != "read" {
				t.Errorf("%s: all jobs get %s: %s", w.path, scope, level)
			}
		}
		for name, job := range w.Jobs {
			if job.Permissions == nil {
				continue
			}
			for scope, level := range *job.Permissions {
				if level != "read" && !slices.Contains(mayWrite[w.path+"/"+name], scope) {
					t.Errorf("%s: %s gets %s: %s", w.path, name, scope, level)
				}
			}
		}
	}
}

func TestJobsEndAndDoNotPileUp(t *testing.T) {
	for _, w := range workflows(t) {
		if w.Name == "" || w.Concurrency == nil || w.Concurrency.Group == "" {
			t.Errorf("%s has no name or no concurrency group", w.path)
		}
		for name, job := range w.Jobs {
			if job.TimeoutMinutes == 0 || job.RunsOn == "" || strings.HasSuffix(job.RunsOn, "-latest") {
				t.Errorf("%s: %s has no timeout, or runs on whatever is the latest", w.path, name)
			}
			for _, step := range job.Steps {
				checkStep(t, w.path+": "+name, step)
			}
		}
	}
}

// checkStep checks what some actions are told: the Go of go.mod, and not to leave
// the token where later steps could read it.
func checkStep(t *testing.T, where string, step step) {
	t.Helper()
	action, _, _ := strings.Cut(step.Uses, "@")
	switch {
	case action == "actions/setup-go" && step.With["go-version-file"] != "go.mod":
		t.Errorf("%s: Go is not that of go.mod: %v", where, step.With)
	case action == "actions/checkout" && step.With["persist-credentials"] != false:
		t.Errorf("%s: the token stays in .git/config", where)
	case (step.Uses == "") == (step.Run == ""):
		t.Errorf("%s: a step uses an action or runs a command: %+v", where, step)
	case strings.Contains(step.Run, "${{ github.event"):
		t.Errorf("%s: what others write gets into a shell: %s", where, step.Run)
	}
}
