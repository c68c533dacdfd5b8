package stories

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// recipe runs the file recipe.sh as somebody would who typed it.
func recipe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: recipe NAME")
	}
	b := ts.Value(backgroundKey{}).(*background)
	// The shell becomes the command that a recipe is, and signals reach that.
	command := exec.CommandContext(b.Context(), "bash", "-c", "exec "+ts.ReadFile("recipe.sh"))
	command.Env, command.Dir = b.env, ts.Getenv("WORK")
	stream, err := harness.Follow(command)
	ts.Check(err)
	b.running[args[0]] = stream
}

// Every recipe that users read is one that a script here runs, word for word.
func TestRecipesAreWhatIsTested(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("../../../docs/recipes.md"))
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join("testdata", "recipe_*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	run := map[string]bool{}
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == "recipe.sh" {
				run[string(file.Data)] = true
			}
		}
	}
	recipes := regexp.MustCompile("(?s)```bash\n(.*?)```").FindAllSubmatch(text, -1)
	if len(recipes) < 10 || len(recipes) != len(run) {
		t.Errorf("%d recipes, %d are run", len(recipes), len(run))
	}
	for _, recipe := range recipes {
		if !run[string(recipe[1])] {
			t.Errorf("no script runs this recipe:\n%s", recipe[1])
		}
	}
}
