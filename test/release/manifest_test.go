package release

import (
	"bytes"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// The manifest at the top is that of the last release: its sums belong to the tag,
// not to the tree of today, and `make release-check` compares them before a tag.
const releaseManifest = "krew-manifest.yaml"

// Krew's index wants the file to be called after the plugin.
func asInIndex(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "informer.yaml")
	write(t, path, read(t, filepath.Join(root, releaseManifest)))
	return path
}

// What krew-release-bot sends to krew's index is what was checked before the tag.
func TestTheManifestIsTheBotsTemplateFilledIn(t *testing.T) {
	content := read(t, filepath.Join(root, releaseManifest))
	var plugin struct {
		Spec struct {
			Version   string
			Platforms []struct{ URI, SHA256 string }
		}
	}
	if err := yaml.Unmarshal(content, &plugin); err != nil {
		t.Fatal(err)
	}
	version := plugin.Spec.Version
	if !regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(version) {
		t.Errorf("%q is no tag of a release", version)
	}
	sums := map[string]string{}
	for _, platform := range plugin.Spec.Platforms {
		if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(platform.SHA256) {
			t.Errorf("%s has the sum %q", platform.URI, platform.SHA256)
		}
		sums[path.Base(platform.URI)] = platform.SHA256
	}
	if len(sums) != platforms {
		t.Errorf("%d archives, want %d", len(sums), platforms)
	}
	template := string(read(t, filepath.Join(root, ".krew.yaml")))
	filled := regexp.MustCompile(`\{\{addURIAndSha "([^"]+)" \.TagName\}\}`).ReplaceAllStringFunc(template, func(call string) string {
		uri := strings.ReplaceAll(strings.Split(call, `"`)[1], "{{ .TagName }}", version)
		return "uri: " + uri + "\n    sha256: " + sums[path.Base(uri)]
	})
	if want := strings.ReplaceAll(filled, "{{ .TagName }}", version); want != string(content) {
		t.Errorf("%s is not .krew.yaml for %s: `make krew-manifest` writes it anew", releaseManifest, version)
	}
}

// platforms is how many a release is made for.
const platforms = 6

func TestKrewsValidatorTakesTheManifest(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), program("validate-krew-manifest"), "-manifest", asInIndex(t), "-skip-install").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// Krew overlooks a field that it does not know, and with it what it says.
func TestTheManifestHasNoFieldThatKrewDoesNotKnow(t *testing.T) {
	content := read(t, filepath.Join(root, releaseManifest))
	if out, err := strict(t, content); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	misspelt := bytes.Replace(content, []byte("\n  caveats:"), []byte("\n  caveat:"), 1)
	if out, err := strict(t, misspelt); err == nil || !strings.Contains(out, `unknown field "caveat"`) {
		t.Errorf("a misspelt field was taken: %v\n%s", err, out)
	}
}

func strict(t *testing.T, manifest []byte) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program("strict"))
	command.Stdin = bytes.NewReader(manifest)
	out, err := command.CombinedOutput()
	return string(out), err
}

// `release compare` is what keeps a draft whose archives are others from being
// published, with stand-ins for the archives.
func TestOtherArchivesThanTheManifestsAreFound(t *testing.T) {
	tree := t.TempDir()
	for _, name := range []string{"VERSION", ".krew.yaml"} {
		if err := copyFile(filepath.Join(tree, name), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(step string) (string, error) {
		command := exec.CommandContext(t.Context(), program("release"), step)
		command.Dir = tree
		out, err := command.CombinedOutput()
		return string(out), err
	}
	if out, err := run("manifest"); err == nil || !strings.Contains(out, "darwin_amd64.tar.gz: no such file") {
		t.Errorf("without archives: %v\n%s", err, out)
	}
	template := string(read(t, filepath.Join(tree, ".krew.yaml")))
	version := strings.TrimSpace(string(read(t, filepath.Join(tree, "VERSION"))))
	var archives []string
	for _, found := range regexp.MustCompile(`kubectl-informer_\S+?\.(?:tar\.gz|zip)`).FindAllString(strings.ReplaceAll(template, "{{ .TagName }}", version), -1) {
		archives = append(archives, filepath.Join(tree, "dist", found))
		if err := copyFile(archives[len(archives)-1], filepath.Join(tree, "VERSION")); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []string{"manifest", "compare"} {
		if out, err := run(step); err != nil {
			t.Fatalf("%s: %v\n%s", step, err, out)
		}
	}
	write(t, archives[3], []byte("other bytes"))
	if out, err := run("compare"); err == nil || !strings.Contains(out, releaseManifest+" is not that of the archives of "+version) {
		t.Errorf("%v\n%s", err, out)
	}
}
