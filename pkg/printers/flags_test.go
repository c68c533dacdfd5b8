package printers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestKubectlsPrintFlagsAreAllThere(t *testing.T) {
	theirs, ours := &cobra.Command{}, &cobra.Command{}
	get.NewGetPrintFlags().AddFlags(theirs)
	NewFlags().AddFlags(ours)
	if a, b := theirs.Flags().FlagUsages(), ours.Flags().FlagUsages(); a == "" || b == "" {
		t.Fatal("no flags")
	}
	for _, args := range [][]string{
		{"-o", "wide"}, {"--output=json"}, {"--template", "{{.kind}}"}, {"--sort-by", ".metadata.name"}, {"-L", "a,b"},
		{"--label-columns=a"}, {"--show-labels"}, {"--show-kind"}, {"--no-headers"}, {"--show-managed-fields"},
		{"--allow-missing-template-keys=false"},
	} {
		if err := theirs.ParseFlags(args); err != nil {
			t.Errorf("kubectl has no %q any more: %v", args, err)
		}
		if err := ours.ParseFlags(args); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestMisusedFlagsAreRefusedInKubectlsWords(t *testing.T) {
	formats := "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonl,jsonpath,jsonpath-as-json," +
		"jsonpath-file,kyaml,name,template,templatefile,wide,yaml"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", "xml"}, `unable to match a printer suitable for the output format "xml", allowed formats are: ` + formats},
		{[]string{"-o", "jsonpath={.a}", "--template={.b}"}, `unable to match a printer suitable for the output format "jsonpath={.a}", allowed formats are: ` + formats},
		{[]string{"-o", "json", "--show-labels"}, "--show-labels option cannot be used with json printer"},
		{[]string{"-o", "jsonl", "--show-labels"}, "--show-labels option cannot be used with jsonl printer"},
		{[]string{"-o", "custom-columns=A:.a", "-L", "app"}, "--label-columns option cannot be used with custom-columns=A:.a printer"},
		{[]string{"-o", "jsonpath"}, "template format specified but no template given"},
		{[]string{"-o", "go-template"}, "template format specified but no template given"},
		{[]string{"-o", "jsonpath={.a"}, "error parsing jsonpath {.a, unclosed action"},
		{[]string{"-o", "go-template={{.a"}, "error parsing template {{.a, template: output:1: unclosed action"},
		{[]string{"-o", "custom-columns"}, "custom-columns format specified but no custom columns given"},
		{[]string{"-o", "custom-columns=A"}, "unexpected custom-columns spec: A, expected <header>:<json-path-expr>"},
		{[]string{"-o", "jsonpath-file=/nope"}, "error reading --template /nope, open /nope: no such file or directory"},
		{[]string{"--sort-by", "{.a"}, "sorting error: unclosed action"},
		{[]string{"--limit", "-1"}, "--limit must not be negative, got -1"},
	} {
		if _, err := parsed(c.args...); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.args, err, c.want)
		}
	}
}

func TestATemplateFileIsReadOnce(t *testing.T) {
	for format, text := range map[string]string{
		"jsonpath-file":       "{.items[*].metadata.name}\n",
		"go-template-file":    "{{range .items}}{{.metadata.name}} {{end}}\n",
		"templatefile":        "{{range .items}}{{.metadata.name}} {{end}}\n",
		"custom-columns-file": "NAME\n.metadata.name\n",
	} {
		for _, separate := range []bool{false, true} {
			file := filepath.Join(t.TempDir(), "template")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"-o", format + "=" + file}
			if separate {
				args = []string{"-o", format, "--template", file}
			}
			flags := mustParse(t, args...)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				var out strings.Builder
				if err := flags.PrintList(ioStreams(&out), allOf(shop(), "nodes"), everywhere()); err != nil {
					t.Fatalf("%q: %v", args, err)
				}
				if got := strings.Fields(strings.TrimPrefix(out.String(), "NAME")); !slices.Equal(got, []string{"node-1", "node-2"}) {
					t.Errorf("%q: got %q", args, got)
				}
			}
		}
	}
}

func TestOnlyTablesAreForPeople(t *testing.T) {
	for format, want := range map[string]bool{"": true, "wide": true, "name": false, "json": false, "custom-columns=A:.a": false} {
		if got := mustParse(t, "-o", format).Human(); got != want {
			t.Errorf("-o %s: human %t", format, got)
		}
	}
	if mustParse(t, "--template={{.kind}}").Human() {
		t.Error("a template is no table")
	}
}

func TestHelpAndCompletionKnowJSONLines(t *testing.T) {
	cmd := &cobra.Command{Run: func(*cobra.Command, []string) {}}
	NewFlags().AddFlags(cmd)
	if usage := cmd.Flags().Lookup("output").Usage; !strings.Contains(usage, "jsonl, ") {
		t.Errorf("help: %s", usage)
	}
	var out strings.Builder
	cmd.SetOut(&out)
	cmd.SetArgs([]string{cobra.ShellCompRequestCmd, "-o", "json"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "jsonl\njson\njsonpath\njsonpath-as-json\njsonpath-file\n:4\n"; got != want {
		t.Errorf("completion: got %q, want %q", got, want)
	}
}

func TestTheLeastFormIsFetched(t *testing.T) {
	const (
		metadata, cells, whole = cache.Metadata, cache.Cells, cache.Whole
		managed                = cache.ManagedFields
	)
	for _, c := range []struct {
		args        []string
		list, event cache.Representation
	}{
		{nil, cells, cells},
		{[]string{"-o", "wide", "-L", "app", "--show-labels"}, cells, cells},
		{[]string{"--show-managed-fields"}, cells, cells},
		{[]string{"-o", "name"}, metadata, metadata},
		{[]string{"-o", "json"}, whole, whole},
		{[]string{"-o", "yaml"}, whole, whole},
		{[]string{"-o", "kyaml"}, whole, whole},
		{[]string{"-o", "jsonl"}, whole, whole},
		{[]string{"-o", "json", "--show-managed-fields"}, whole | managed, whole | managed},
		{[]string{"--sort-by", ".metadata.creationTimestamp"}, cells, cells},
		{[]string{"--sort-by", ".kind"}, cells, cells},
		{[]string{"--sort-by", ".spec.nodeName"}, cells | whole, cells | whole},
		{[]string{"--sort-by", ".metadata.name", "--sort-by", "-.status.x"}, cells | whole, cells | whole},
		{[]string{"-o", "name", "--sort-by", "-.spec.x"}, whole, whole},
		{[]string{"--sort-by", ".metadata.managedFields[0].time"}, cells | managed, cells | managed},
		{[]string{"-o", "custom-columns=A:.metadata.name,B:.kind"}, metadata, metadata},
		{[]string{"-o", "custom-columns=A:.metadata.name,B:.spec.x"}, whole, whole},
		{[]string{"-o", "custom-columns=A:.metadata"}, whole | managed, whole},
		{[]string{"-o", "custom-columns=A:..name"}, whole | managed, whole},
		{[]string{"-o", "custom-columns=A:.*"}, whole | managed, whole},
		{[]string{"-o", "go-template={{.}}"}, whole | managed, whole},
		{[]string{"-o", "jsonpath={.items[*].metadata.name}"}, metadata, metadata},
		{[]string{"-o", `jsonpath={range .items[*]}{.metadata.name}{"\t"}{.kind}{"\n"}{end}`}, metadata, metadata},
		{[]string{"-o", "jsonpath={range .items[*]}{@}{end}"}, whole | managed, whole},
		{[]string{"-o", "jsonpath={.items[*].metadata.name}", "--allow-missing-template-keys=false"}, whole | managed, metadata},
		{[]string{"-o", "jsonpath={.items[*]}"}, whole | managed, metadata},
		{[]string{"-o", "jsonpath={..name}"}, whole | managed, whole},
		{[]string{"-o", "jsonpath={.items[?(@.spec.x==1)].metadata.name}"}, whole, metadata},
		{[]string{"-o", "jsonpath={.items[?(@.metadata.name=='a')].kind}"}, metadata, metadata},
		{[]string{"-o", "jsonpath={.type} {.object.metadata.name}"}, whole, metadata},
		{[]string{"-o", "jsonpath={.object.spec.x}"}, whole, whole},
		{[]string{"-o", "jsonpath={.oldObject.status.phase}"}, whole, whole},
		{[]string{"-o", "jsonpath={.object}"}, whole, whole},
		{[]string{"-o", "jsonpath={@}"}, whole | managed, whole},
		{[]string{"-o", "jsonpath={.object}", "--show-managed-fields"}, whole, whole | managed},
	} {
		flags := mustParse(t, c.args...)
		if got := flags.ListNeeds(); got != c.list {
			t.Errorf("list %q: needs %s, want %s", c.args, got, c.list)
		}
		if got := flags.EventNeeds(); got != c.event {
			t.Errorf("tail %q: needs %s, want %s", c.args, got, c.event)
		}
	}
	if got := NewFlags(); got.ListNeeds() != cells {
		t.Errorf("without flags: %s", got.ListNeeds())
	}
	broken, _ := parsed("-o", "xml")
	if broken.ListNeeds() != whole|managed || broken.EventNeeds() != whole|managed {
		t.Errorf("flags that make no sense need everything")
	}
}

func ioStreams(out *strings.Builder) genericiooptions.IOStreams {
	return genericiooptions.IOStreams{Out: out, ErrOut: out}
}
