package krew

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
	"sigs.k8s.io/yaml"
)

const version = "v1.2.3"

// sums gives each platform a sum of its own.
func sums() map[product.Platform]string {
	sums := map[product.Platform]string{}
	for i, platform := range product.Platforms() {
		sums[platform] = strings.Repeat(fmt.Sprint("a", i), 32)
	}
	return sums
}

func manifest(t *testing.T) []byte {
	t.Helper()
	text, err := Render(version, sums())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The bot must make of its template what we make of the text ourselves.
func TestTheBotMakesTheSameManifest(t *testing.T) {
	text, err := RenderForBot()
	if err != nil {
		t.Fatal(err)
	}
	bySource := map[string]string{}
	for platform, sum := range sums() {
		bySource[downloads+"/"+version+"/"+platform.ArchiveName(version)] = sum
	}
	// What the bot offers to templates: the address is a template as well.
	bot := template.New("bot").Funcs(template.FuncMap{"addURIAndSha": func(uri, tag string) (string, error) {
		var address strings.Builder
		inner, err := template.New("uri").Parse(uri)
		if err == nil {
			err = inner.Execute(&address, map[string]string{"TagName": tag})
		}
		return "uri: " + address.String() + "\n    sha256: " + bySource[address.String()], err
	}})
	if _, err := bot.Parse(string(text)); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := bot.Execute(&got, map[string]string{"TagName": version}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(manifest(t)), got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestSumsAreReadBack(t *testing.T) {
	got, err := Sums(manifest(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sums(), got); diff != "" {
		t.Error(diff)
	}
	if _, err := Sums([]byte("spec: [")); err == nil {
		t.Error("a manifest that is no YAML was read")
	}
}

func TestEveryPlatformNeedsASum(t *testing.T) {
	lacking := sums()
	delete(lacking, product.Platform{OS: "windows", Arch: "arm64"})
	if _, err := Render(version, lacking); err == nil || !strings.Contains(err.Error(), "windows/arm64") {
		t.Errorf("got %v, want an error that names windows/arm64", err)
	}
}

// What those who look after krew's index ask of the words.
func TestTheWordsAreThoseOfTheIndex(t *testing.T) {
	var plugin struct {
		Spec struct{ ShortDescription, Description, Caveats, Homepage string }
	}
	if err := yaml.Unmarshal(manifest(t), &plugin); err != nil {
		t.Fatal(err)
	}
	spec := plugin.Spec
	if n := len(spec.ShortDescription); n == 0 || n > 50 || strings.HasSuffix(spec.ShortDescription, ".") {
		t.Errorf("the short description has %d characters: %q", n, spec.ShortDescription)
	}
	for _, line := range strings.Split(spec.Description+spec.Caveats, "\n") {
		if len(line) > 80 {
			t.Errorf("%d columns: %q", len(line), line)
		}
	}
	if strings.Contains(spec.Description, "kubectl informer") || strings.Contains(spec.Description, "kubectl krew") {
		t.Errorf("the description shows how to use the plugin:\n%s", spec.Description)
	}
	if spec.Homepage != strings.TrimSuffix(downloads, "/releases/download") {
		t.Errorf("the home page is %q", spec.Homepage)
	}
}
