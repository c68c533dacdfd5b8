//go:build unix

package k9s

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	yamlv2 "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"
)

// plugin is an entry of plugins.yaml. k9s ignores fields that it does not know;
// here they are an error.
type plugin struct {
	ShortCut        string   `yaml:"shortCut"`
	Description     string   `yaml:"description"`
	Scopes          []string `yaml:"scopes"`
	Command         string   `yaml:"command"`
	Args            []string `yaml:"args"`
	OverwriteOutput bool     `yaml:"overwriteOutput"`
}

const file = "../../../plugins.yaml"

// plugins returns the entries of plugins.yaml by their names.
func plugins(t *testing.T) map[string]plugin {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Plugins map[string]plugin `yaml:"plugins"`
	}
	if err := yamlv2.UnmarshalStrict(content, &all); err != nil {
		t.Fatal(err)
	}
	return all.Plugins
}

// inScope says whether k9s offers an entry in the view of a resource.
func (p plugin) inScope(resource string) bool {
	return slices.Contains(p.Scopes, "all") || slices.Contains(p.Scopes, resource)
}

// script is the argument that a shell reads, and where in the arguments it is.
func (p plugin) script(t *testing.T) (text string, at int) {
	t.Helper()
	option := slices.Index(p.Args, "-c")
	if option < 0 {
		t.Fatalf("no script in %v", p.Args)
	}
	return p.Args[option+1], option + 1
}

func TestK9sAcceptsTheFile(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(source(t, "github.com/derailed/k9s"), "internal/config/json/schemas/plugins.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, schema, content); err != nil {
		t.Error(err)
	}
	misspelt := bytes.Replace(content, []byte("shortCut:"), []byte("shortcut:"), 1)
	if err := validate(t, schema, misspelt); err == nil {
		t.Error("the schema takes an entry without shortCut: it is not the one that k9s reads plugins.yaml with")
	}
}

func validate(t *testing.T, schema *jsonschema.Schema, content []byte) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON(content)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

// A name of an object that gets into a script is run by a shell.
func TestScriptsAreFixedText(t *testing.T) {
	t.Parallel()
	known := view{"RESOURCE", "VERSION", "GROUP", "NAMESPACE/NAME"}.variables("KUBECONFIG", "CONTEXT")
	for _, more := range []string{"POD", "CONTAINER", "COL-NAMESPACE", "COL-NODE", "COL-STATUS"} {
		known[more] = more
	}
	for name, p := range plugins(t) {
		script, at := p.script(t)
		if got := known.substitute(script); got != script {
			t.Errorf("%s: k9s makes\n%s\nof\n%s", name, got, script)
		}
		if before := append([]string{p.Command}, p.Args[:at]...); !slices.Equal(before, []string{"env", "KUBECONFIG=$KUBECONFIG", "sh", "-c"}) {
			t.Errorf("%s: the script is run by %q", name, before)
		}
		for _, argument := range p.Args[at+1:] {
			if got := known.substitute(argument); strings.Contains(got, "$") {
				t.Errorf("%s: k9s knows nothing of what %q asks for", name, argument)
			}
		}
	}
}

// After a command that has ended well, k9s flashes its whole text.
func TestCommandsAreNotFlashed(t *testing.T) {
	t.Parallel()
	for name, p := range plugins(t) {
		if !p.OverwriteOutput {
			t.Errorf("%s: no overwriteOutput", name)
		}
	}
}
