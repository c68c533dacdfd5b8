package stories

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

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
			if file.Name == "recipe.sh" || file.Name == "recipe.py" {
				run[string(file.Data)] = true
			}
		}
	}
	recipes := regexp.MustCompile("(?s)```(?:bash|python)\n(.*?)```").FindAllSubmatch(text, -1)
	if len(recipes) < 10 || len(recipes) != len(run) {
		t.Errorf("%d recipes, %d are run", len(recipes), len(run))
	}
	for _, recipe := range recipes {
		if !run[string(recipe[1])] {
			t.Errorf("no script runs this recipe:\n%s", recipe[1])
		}
	}
}
