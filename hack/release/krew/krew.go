// Package krew writes what krew needs to install the plugin: the manifest, and
// the template from which krew-release-bot makes the manifest of a release.
// Both come from one text.
package krew

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"

	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
	"sigs.k8s.io/yaml"
)

const (
	// Manifest is the manifest's file, at the top of the tree.
	Manifest = "krew-manifest.yaml"
	// BotTemplate is the file that krew-release-bot reads.
	BotTemplate = ".krew.yaml"

	downloads = "https://github.com/kubectl-informer/kubectl-informer/releases/download"
	// tag is how krew-release-bot's template names a release.
	tag = "{{ .TagName }}"
)

//go:embed manifest.yaml.tmpl
var text string

// entry is a platform in the text: Origin is the lines that say where its
// archive is and what its sum is.
type entry struct {
	product.Platform
	Origin string
}

// Render returns the manifest of a version whose archives have the SHA-256
// sums given, in hexadecimal. It is an error if one is not there.
func Render(version string, sums map[product.Platform]string) ([]byte, error) {
	return render(version, func(platform product.Platform, uri string) (string, error) {
		sum, ok := sums[platform]
		if !ok {
			return "", fmt.Errorf("no sum of the archive for %s", platform)
		}
		return "uri: " + uri + "\n    sha256: " + sum, nil
	})
}

// RenderForBot returns krew-release-bot's template, in which the bot fills in
// the version, addresses and sums of a release.
func RenderForBot() ([]byte, error) {
	return render(tag, func(_ product.Platform, uri string) (string, error) {
		return fmt.Sprintf("{{addURIAndSha %q .TagName}}", uri), nil
	})
}

func render(version string, origin func(platform product.Platform, uri string) (string, error)) ([]byte, error) {
	var entries []entry
	for _, platform := range product.Platforms() {
		lines, err := origin(platform, downloads+"/"+version+"/"+platform.ArchiveName(version))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{Platform: platform, Origin: lines})
	}
	parsed, err := template.New("manifest").Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]any{"Version": version, "Platforms": entries})
	return out.Bytes(), err
}

// Sums reads the sums of the archives from a manifest.
func Sums(manifest []byte) (map[product.Platform]string, error) {
	var plugin struct {
		Spec struct {
			Platforms []struct {
				Selector struct{ MatchLabels map[string]string }
				SHA256   string
			}
		}
	}
	if err := yaml.Unmarshal(manifest, &plugin); err != nil {
		return nil, fmt.Errorf("reading %s: %w", Manifest, err)
	}
	sums := map[product.Platform]string{}
	for _, entry := range plugin.Spec.Platforms {
		labels := entry.Selector.MatchLabels
		sums[product.Platform{OS: labels["os"], Arch: labels["arch"]}] = entry.SHA256
	}
	return sums, nil
}
