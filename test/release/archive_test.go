package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// entry is a name in an archive, with its permissions.
type entry struct {
	Name string
	Mode fs.FileMode
}

// kubernetes-sigs/krew#691: a plugin is refused if no LICENSE is extracted, or
// if its program may not be executed or is in a folder of its own.
func TestTheArchiveHasWhatKrewsIndexWants(t *testing.T) {
	want := []entry{
		{"LICENSE", 0o644},
		{"README.md", 0o644},
		{"kubectl-informer", 0o755},
		{"kubectl_complete-informer", 0o755},
	}
	for _, page := range manualPages(t) {
		want = append(want, entry{page, 0o644})
	}
	got, content := unpack(t, archive(fixture.tree))
	for _, entries := range [][]entry{want, got} {
		slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(content["LICENSE"], read(t, filepath.Join(root, "LICENSE"))) {
		t.Error("LICENSE is another one")
	}
}

// manualPages are the pages in the archive, as many as the reference has.
func manualPages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "docs", "reference", "*.md"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d pages, %v", len(paths), err)
	}
	var pages []string
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		pages = append(pages, "man/kubectl-"+strings.ReplaceAll(strings.TrimPrefix(name, "kubectl_"), "_", "-")+".1")
	}
	slices.Sort(pages)
	return pages
}

// The bytes do not depend on where the tree is, nor on the settings of who builds:
// whoever builds the same source gets the sum that is in krew's manifest.
func TestTheArchiveHasTheSameBytesFromAnotherFolder(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "another", "folder")
	if err := copyTree(elsewhere); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-tags=elsewhere")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("GOARM64", "v8.1")
	t.Setenv("CGO_ENABLED", "1")
	if err := makeArchive(t.Context(), elsewhere); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(read(t, archive(fixture.tree)), read(t, archive(elsewhere))) {
		return
	}
	_, first := unpack(t, archive(fixture.tree))
	_, second := unpack(t, archive(elsewhere))
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s is not the same", name)
		}
	}
	t.Error("the archives differ")
}

// Another Go makes other bytes: the one that go.mod names builds releases.
func TestGoReleaserBuildsWithTheGoOfTheModule(t *testing.T) {
	var config struct {
		Builds []struct{ Env []string }
		Casks  []struct{ Manpages []string } `json:"homebrew_casks"`
	}
	if err := yaml.Unmarshal(read(t, filepath.Join(root, ".goreleaser.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(read(t, filepath.Join(root, "go.mod"))), "\ntoolchain ")
	toolchain, _, _ := strings.Cut(rest, "\n")
	if want := "GOTOOLCHAIN=" + toolchain; toolchain == "" || !slices.Contains(config.Builds[0].Env, want) {
		t.Errorf("the environment is %q, without %q", config.Builds[0].Env, want)
	}
	if diff := cmp.Diff(manualPages(t), slices.Sorted(slices.Values(config.Casks[0].Manpages))); diff != "" {
		t.Errorf("Homebrew would link other pages than there are:\n%s", diff)
	}
}

// unpack returns what an archive holds, in its order, and the contents by name.
func unpack(t *testing.T, path string) ([]entry, map[string][]byte) {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	contents := map[string][]byte{}
	for files := tar.NewReader(compressed); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return entries, contents
		} else if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{header.Name, header.FileInfo().Mode()})
		if contents[header.Name], err = io.ReadAll(files); err != nil {
			t.Fatal(err)
		}
	}
}
