package product

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/hack/release/archive"
)

// Pages is where the manual pages are, in the tree.
const Pages = "docs/man"

// Archive builds the plugin for a platform and packs it. It returns the
// archive's bytes, the same whenever and wherever the source is the same.
func (s Source) Archive(ctx context.Context, platform Platform) ([]byte, error) {
	files, err := s.documents(platform)
	if err != nil {
		return nil, err
	}
	program, err := s.program(ctx, platform)
	if err != nil {
		return nil, err
	}
	// GoReleaser puts programs behind all other files.
	files = append(files, archive.File{Name: platform.Program(), Mode: 0o755, Content: program})
	if strings.HasSuffix(platform.ArchiveName(s.Version), ".zip") {
		return archive.Zip(files)
	}
	return archive.TarGz(files)
}

// documents is what comes with the program, sorted by name. There is no folder
// round it all: installers look for the program at the top.
func (s Source) documents(platform Platform) ([]archive.File, error) {
	pages, err := filepath.Glob(filepath.Join(s.Root, filepath.FromSlash(Pages), "*.1"))
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, errors.New("there are no manual pages in " + Pages)
	}
	files := make([]archive.File, 0, len(pages)+3)
	add := func(name, from string, mode fs.FileMode) {
		content, readErr := os.ReadFile(from)
		files, err = append(files, archive.File{Name: name, Mode: mode, Content: content}), errors.Join(err, readErr)
	}
	add("LICENSE", filepath.Join(s.Root, "LICENSE"), 0o644)
	add("README.md", filepath.Join(s.Root, "README.md"), 0o644)
	add(platform.Completer(), filepath.Join(s.Root, "hack", "release", "product", "shim", platform.Completer()), 0o755)
	for _, page := range pages {
		add(path.Join("man", filepath.Base(page)), page, 0o644)
	}
	slices.SortFunc(files, func(a, b archive.File) int { return strings.Compare(a.Name, b.Name) })
	return files, err
}
