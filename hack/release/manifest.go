package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

// writeManifest writes the manifest of a release whose archives are in dist.
func writeManifest(version string) error {
	manifest, err := render(version, sumInDist)
	if err != nil {
		return err
	}
	return write(manifestFile, manifest)
}

// compareManifest compares the manifest with the archives in dist.
func compareManifest(version string) error {
	want, err := render(version, sumInDist)
	if err != nil {
		return err
	}
	is, err := os.ReadFile(manifestFile)
	if err == nil && !bytes.Equal(is, want) {
		err = fmt.Errorf("%s is not that of the archives of %s in %s: `make krew-manifest` writes it anew", manifestFile, version, dist)
	}
	return err
}

func sumInDist(archive string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dist, archive))
	return sum(content), err
}

func sum(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}

// render fills in krew-release-bot's template as the bot does when the release is
// published: one text is the manifest in the tree and the one in krew's index.
func render(version string, sumOf func(archive string) (string, error)) ([]byte, error) {
	text, err := os.ReadFile(".krew.yaml")
	if err != nil {
		return nil, err
	}
	origin := func(uri, tag string) (string, error) {
		uri = strings.ReplaceAll(uri, "{{ .TagName }}", tag)
		sum, err := sumOf(path.Base(uri))
		return "uri: " + uri + "\n    sha256: " + sum, err
	}
	parsed, err := template.New(".krew.yaml").Funcs(template.FuncMap{"addURIAndSha": origin}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]string{"TagName": version})
	return out.Bytes(), err
}

// partialManifest is a manifest of those platforms alone whose archives' sums are
// given: the others of a development version are not built.
func partialManifest(version string, sums map[string]string) ([]byte, error) {
	all, err := render(version, func(archive string) (string, error) { return sums[archive], nil })
	if err != nil {
		return nil, err
	}
	var manifest map[string]any
	if err := yaml.Unmarshal(all, &manifest); err != nil {
		return nil, err
	}
	spec := manifest["spec"].(map[string]any)
	platforms := slices.DeleteFunc(spec["platforms"].([]any), func(platform any) bool {
		return platform.(map[string]any)["sha256"] == nil
	})
	if len(platforms) != len(sums) {
		return nil, fmt.Errorf(".krew.yaml has %d of the %d platforms that were built", len(platforms), len(sums))
	}
	spec["platforms"] = platforms
	return yaml.Marshal(manifest)
}
