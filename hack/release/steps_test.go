package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/hack/release/krew"
	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
)

// released is a tree whose archives are stand-ins, with manifests of them.
func released(t *testing.T) release {
	t.Helper()
	r := release{
		source:    product.Source{Root: t.TempDir(), Version: "v1.2.3"},
		platforms: product.Platforms(),
		dist:      t.TempDir(),
		log:       io.Discard,
	}
	for _, platform := range r.platforms {
		put(t, r.path(platform), platform.String())
	}
	if err := r.manifest(); err != nil {
		t.Fatal(err)
	}
	if err := r.compare(); err != nil {
		t.Fatal(err)
	}
	return r
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func wantStale(t *testing.T, r release, file string) {
	t.Helper()
	if err := r.compare(); err == nil || !strings.HasPrefix(err.Error(), file+" is stale") {
		t.Errorf("got %v, want that %s is stale", err, file)
	}
}

func TestAnotherArchiveMakesTheManifestStale(t *testing.T) {
	r := released(t)
	put(t, r.path(r.platforms[3]), "other bytes")
	wantStale(t, r, krew.Manifest)
}

func TestAnotherVersionMakesTheManifestStale(t *testing.T) {
	r := released(t)
	r.source.Version = "v1.2.4"
	for _, platform := range r.platforms {
		put(t, r.path(platform), platform.String())
	}
	wantStale(t, r, krew.Manifest)
}

func TestOtherWordsMakeTheTemplateStale(t *testing.T) {
	r := released(t)
	put(t, filepath.Join(r.source.Root, krew.BotTemplate), "kind: Plugin\n")
	wantStale(t, r, krew.BotTemplate)
}

// With -here the other platforms' archives need not be there.
func TestOnePlatformIsComparedAlone(t *testing.T) {
	r := released(t)
	for _, platform := range r.platforms[1:] {
		if err := os.Remove(r.path(platform)); err != nil {
			t.Fatal(err)
		}
	}
	r.platforms = r.platforms[:1]
	if err := r.compare(); err != nil {
		t.Fatal(err)
	}
	put(t, r.path(r.platforms[0]), "other bytes")
	wantStale(t, r, krew.Manifest)
}

func TestAMissingArchiveIsNamed(t *testing.T) {
	r := released(t)
	missing := r.path(r.platforms[5])
	if err := os.Remove(missing); err != nil {
		t.Fatal(err)
	}
	if err := r.compare(); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("got %v, want an error that names %s", err, missing)
	}
}
