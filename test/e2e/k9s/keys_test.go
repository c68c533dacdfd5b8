//go:build unix

package k9s

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// source returns the folder of a module's source, in the release that the
// module test/k9s asks for.
func source(t *testing.T, module string) string {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	download.Dir = "../../k9s"
	download.Env = append(download.Environ(), "GOWORK=off")
	out, err := download.Output()
	var answer struct{ Dir, Error string }
	if unreadable := json.Unmarshal(out, &answer); unreadable != nil || answer.Dir == "" {
		t.Fatalf("no source of %s: %v %s", module, err, answer.Error)
	}
	return answer.Dir
}

// parsed returns the Go files below a folder, tests left out, by path.
func parsed(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no Go files in %s", dir)
	}
	return files
}

// keyNames returns how plugins.yaml names a key, by the name that k9s' source
// has for it: KeyNames[KeyShiftE] = "Shift-E".
func keyNames(t *testing.T, file *ast.File) map[string]string {
	t.Helper()
	names := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		assignment, ok := node.(*ast.AssignStmt)
		if !ok {
			return true
		}
		element, ok := assignment.Lhs[0].(*ast.IndexExpr)
		if !ok {
			return true
		}
		key, isKey := element.Index.(*ast.Ident)
		name, isName := assignment.Rhs[0].(*ast.BasicLit)
		if isKey && isName {
			names[key.Name], _ = strconv.Unquote(name.Value)
		}
		return true
	})
	return names
}

var keyConstant = regexp.MustCompile(`^Key[A-Z0-9]`)

// takenKeys are the keys that k9s mentions in any of its views, by the names of
// its source. One that a view only takes away is taken by another.
func takenKeys(t *testing.T, k9s string) map[string]bool {
	t.Helper()
	taken := map[string]bool{}
	for _, dir := range []string{"internal/ui", "internal/view"} {
		for path, file := range parsed(t, filepath.Join(k9s, dir)) {
			if strings.HasSuffix(path, "internal/ui/key.go") {
				continue // where all keys are defined
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if name, ok := node.(*ast.Ident); ok && keyConstant.MatchString(name.Name) {
					taken[name.Name] = true
				}
				return true
			})
		}
	}
	return taken
}

// takenRunes are the letters to which the widgets under k9s' tables and trees
// listen themselves.
func takenRunes(t *testing.T, tview string) map[string]bool {
	t.Helper()
	taken := map[string]bool{}
	for path, file := range parsed(t, tview) {
		if base := filepath.Base(path); base != "table.go" && base != "treeview.go" {
			continue
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if letter, ok := node.(*ast.BasicLit); ok && letter.Kind == token.CHAR {
				taken[letter.Value] = true
			}
			return true
		})
	}
	return taken
}

func TestShortcutsAreFreeInK9s(t *testing.T) {
	t.Parallel()
	k9s := source(t, "github.com/derailed/k9s")
	names := keyNames(t, parsed(t, filepath.Join(k9s, "internal/ui"))[filepath.Join(k9s, "internal/ui/key.go")])
	taken, runes := takenKeys(t, k9s), takenRunes(t, source(t, "github.com/derailed/tview"))
	free := map[string]bool{}
	for key, name := range names {
		letter := "'" + strings.TrimPrefix(name, "Shift-") + "'"
		free[name] = strings.HasPrefix(name, "Shift-") && !taken[key] && !runes[letter]
	}
	// Were these free, the source would not have been understood.
	for _, name := range []string{"Shift-A", "Shift-G", "Shift-N", "Shift-P"} {
		if free[name] {
			t.Fatalf("%s counts as free", name)
		}
	}
	for name, p := range plugins(t) {
		if !free[p.ShortCut] {
			t.Errorf("%s: k9s has another use for %s, or does not know it", name, p.ShortCut)
		}
	}
}

// Of two entries with one key, k9s takes either.
func TestEntriesOfOneViewHaveDifferentKeys(t *testing.T) {
	t.Parallel()
	all := plugins(t)
	for name, p := range all {
		for other, q := range all {
			if name == other || p.ShortCut != q.ShortCut {
				continue
			}
			for _, scope := range q.Scopes {
				if p.inScope(scope) {
					t.Errorf("%s and %s have %s in the view of %s", name, other, p.ShortCut, scope)
				}
			}
		}
	}
}
