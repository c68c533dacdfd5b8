package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"github.com/kubectl-informer/kubectl-informer/hack/release/krew"
	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
)

// release is what the steps work on.
type release struct {
	source product.Source
	// platforms are those whose archives are made and looked at.
	platforms []product.Platform
	// dist is the folder of the archives.
	dist string
	log  io.Writer
}

// archives makes an archive for each platform, one after the other: a build
// takes all of a machine by itself.
func (r release) archives(ctx context.Context) error {
	if err := os.MkdirAll(r.dist, 0o755); err != nil {
		return err
	}
	for _, platform := range r.platforms {
		content, err := r.source.Archive(ctx, platform)
		if err != nil {
			return err
		}
		path := r.path(platform)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(r.log, "%s  %s\n", sum(content), path)
	}
	return nil
}

// manifest writes krew's manifest and krew-release-bot's template.
func (r release) manifest() error {
	wanted, err := r.manifests()
	if err != nil {
		return err
	}
	for _, file := range wanted {
		if err := os.WriteFile(file.path, file.content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare finds out whether the manifests are those of the archives. The sums
// of platforms that are not looked at are believed.
func (r release) compare() error {
	wanted, err := r.manifests()
	if err != nil {
		return err
	}
	for _, file := range wanted {
		is, readErr := os.ReadFile(file.path)
		if readErr == nil && !bytes.Equal(is, file.content) {
			readErr = fmt.Errorf("%s is stale: `make krew-manifest` writes it anew", filepath.Base(file.path))
		}
		err = errors.Join(err, readErr)
	}
	return err
}

// file is what a file must hold.
type file struct {
	path    string
	content []byte
}

// manifests returns krew's manifest and krew-release-bot's template.
func (r release) manifests() ([]file, error) {
	path := filepath.Join(r.source.Root, krew.Manifest)
	sums := map[product.Platform]string{}
	if len(r.platforms) < len(product.Platforms()) {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if sums, err = krew.Sums(content); err != nil {
			return nil, err
		}
	}
	built, err := r.sums()
	if err != nil {
		return nil, err
	}
	maps.Copy(sums, built)
	manifest, err := krew.Render(r.source.Version, sums)
	if err != nil {
		return nil, err
	}
	template, err := krew.RenderForBot()
	if err != nil {
		return nil, err
	}
	return []file{{path, manifest}, {filepath.Join(r.source.Root, krew.BotTemplate), template}}, nil
}

// sums returns the sums of the archives that are there.
func (r release) sums() (map[product.Platform]string, error) {
	sums := map[product.Platform]string{}
	for _, platform := range r.platforms {
		content, err := os.ReadFile(r.path(platform))
		if err != nil {
			return nil, err
		}
		sums[platform] = sum(content)
	}
	return sums, nil
}

func (r release) path(platform product.Platform) string {
	return filepath.Join(r.dist, platform.ArchiveName(r.source.Version))
}

func sum(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}
