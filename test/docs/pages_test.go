// Package docs holds what is written for people against what there is.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the top of the repository.
const root = "../.."

// page is a Markdown file.
type page struct {
	path string // below root, with slashes
	text string
}

// read returns a file's text.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages are all that people are pointed to.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/reference/*.md", "docs/in-cluster/README.md", "test/*/README.md"} {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			path, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, page{filepath.ToSlash(path), read(t, filepath.ToSlash(path))})
		}
	}
	return all
}

// block is what stands between two fences.
type block struct{ language, text string }

// split returns the code blocks of a page, and the page without them.
func (p page) split() (blocks []block, prose string) {
	var current *block
	for line := range strings.Lines(p.text) {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && current == nil:
			current = &block{language: fence}
		case isFence:
			blocks = append(blocks, *current)
			current = nil
		case current != nil:
			current.text += line
		default:
			prose += line
		}
	}
	return blocks, prose
}

// anchors are the fragments by which a page's headings can be reached, as GitHub
// makes them.
func (p page) anchors() map[string]bool {
	_, prose := p.split()
	found := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ +(.*)$`).FindAllStringSubmatch(prose, -1) {
		anchor := strings.ToLower(strings.TrimSpace(heading[1]))
		anchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(anchor, "")
		found[strings.ReplaceAll(anchor, " ", "-")] = true
	}
	return found
}
