package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
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
		{fixture.platform.Completer(), 0o755},
		{fixture.platform.Program(), 0o755},
	}
	pages, err := filepath.Glob(filepath.Join(root, product.Pages, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		want = append(want, entry{"man/" + filepath.Base(page), 0o644})
	}
	got, content := unpack(t, fixture.archive)
	for _, entries := range [][]entry{want, got} {
		slices.SortFunc(entries, func(a, b entry) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(content["LICENSE"], read(t, filepath.Join(root, "LICENSE"))) {
		t.Error("LICENSE is another one")
	}
}

// The bytes must not tell where the tree was: whoever builds the same source
// must get the sum that is in krew's manifest.
func TestTheSameBytesFromAnotherFolder(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "another", "folder")
	if err := copyTree(elsewhere, fixture.source.Root); err != nil {
		t.Fatal(err)
	}
	// Neither must settings of who builds get into it.
	t.Setenv("GOFLAGS", "-tags=elsewhere")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("CGO_ENABLED", "1")
	source, err := product.Open(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	again, err := source.Archive(t.Context(), fixture.platform)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(fixture.archive, again) {
		return
	}
	_, first := unpack(t, fixture.archive)
	_, second := unpack(t, again)
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s is not the same", name)
		}
	}
	t.Error("the archives differ")
}

// unpack returns what an archive holds, in its order, and the contents by name.
func unpack(t *testing.T, packed []byte) ([]entry, map[string][]byte) {
	t.Helper()
	if bytes.HasPrefix(packed, []byte("PK")) {
		return unzip(t, packed)
	}
	compressed, err := gzip.NewReader(bytes.NewReader(packed))
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

func unzip(t *testing.T, packed []byte) ([]entry, map[string][]byte) {
	t.Helper()
	files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	contents := map[string][]byte{}
	for _, file := range files.File {
		entries = append(entries, entry{file.Name, file.Mode()})
		if contents[file.Name], err = fs.ReadFile(files, file.Name); err != nil {
			t.Fatal(err)
		}
	}
	return entries, contents
}
