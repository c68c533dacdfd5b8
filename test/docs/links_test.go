package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	checked := 0
	for _, page := range pages(t) {
		_, prose := page.split()
		for _, match := range link.FindAllStringSubmatch(prose, -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			checked++
			if problem := follow(t, page, match[1]); problem != "" {
				t.Errorf("%s: %s: %s", page.path, match[1], problem)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}

// follow says what is wrong with a link.
func follow(t *testing.T, from page, link string) string {
	file, anchor, _ := strings.Cut(link, "#")
	target := path.Join(path.Dir(from.path), file)
	if file == "" {
		target = from.path
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
		return "there is no such file"
	}
	if anchor != "" && !(page{target, read(t, target)}).anchors()[anchor] {
		return "there is no such heading"
	}
	return ""
}

func TestABrokenLinkIsFound(t *testing.T) {
	from := page{path: "docs/recipes.md"}
	for link, broken := range map[string]bool{
		"events.md": false, "../README.md#install": false, "#recipes": false, "reference": false,
		"event.md": true, "../README.md#instal": true, "#recipe": true, "docs/events.md": true,
	} {
		if problem := follow(t, from, link); (problem != "") != broken {
			t.Errorf("%s: got %q", link, problem)
		}
	}
}

func TestEveryPageIsLinkedFromTheREADME(t *testing.T) {
	readme := read(t, "README.md")
	for _, page := range pages(t) {
		if slices.Contains([]string{"docs", "docs/in-cluster"}, path.Dir(page.path)) && !strings.Contains(readme, "("+page.path) {
			t.Errorf("README.md has no link to %s", page.path)
		}
	}
}

func TestEveryMakeTargetThatIsNamedExists(t *testing.T) {
	makefile := read(t, "Makefile")
	named := regexp.MustCompile("(?m)(?:`|\\$ |&& |```sh\n|^    )(?:[A-Z]+=\\S+ )?make ([a-z][a-z0-9-]*)")
	for _, page := range pages(t) {
		for _, match := range named.FindAllStringSubmatch(page.text, -1) {
			if !regexp.MustCompile(`(?m)^` + match[1] + `:`).MatchString(makefile) {
				t.Errorf("%s names make %s", page.path, match[1])
			}
		}
	}
}

func TestEveryTestThatIsNamedAsProofExists(t *testing.T) {
	for file, least := range map[string]int{"docs/reliability.md": 15, "docs/in-cluster/README.md": 8} {
		if found := namedTests(t, file, read(t, file)); found < least {
			t.Errorf("%s: only %d references were found", file, found)
		}
	}
}

// namedTests checks the tests that a text names as `DIRECTORY`: NAME, NAME, and
// returns in how many places it names some.
func namedTests(t *testing.T, file, text string) int {
	t.Helper()
	directories := map[string]string{"faults": "test/e2e/faults", "stories": "test/e2e/stories", "incluster": "test/e2e/incluster"}
	references := regexp.MustCompile("`([a-z0-9/]+)`: ((?:[A-Z]\\w+(?:, )?)+)").FindAllStringSubmatch(text, -1)
	for _, match := range references {
		directory := match[1]
		if short, ok := directories[directory]; ok {
			directory = short
		}
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(directory), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var source strings.Builder
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(content)
		}
		for name := range strings.SplitSeq(match[2], ", ") {
			if !strings.Contains(source.String(), "\nfunc Test"+name+"(") {
				t.Errorf("%s: %s has no test %s", file, directory, name)
			}
		}
	}
	return len(references)
}
