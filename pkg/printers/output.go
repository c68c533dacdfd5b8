package printers

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubectl/pkg/cmd/get"
)

// format is the kind of printer that -o and --template ask for.
type format string

const (
	table         format = "table"
	names         format = "name"
	jsonDocument  format = "json"
	yamlDocument  format = "yaml"
	kyamlDocument format = "kyaml"
	jsonLines     format = "jsonl"
	jsonPath      format = "jsonpath"
	goTemplate    format = "go-template"
	customColumns format = "custom-columns"
)

// output is what the flags come to: their format, and kubectl's flags with a
// template's text where they named a file.
type output struct {
	format  format
	kubectl get.PrintFlags
	// template is the text of a JSONPath or Go template.
	template string
	// asJSON is jsonpath-as-json.
	asJSON bool
	// columns is custom-columns' printer, never used itself: it remembers what it
	// has printed.
	columns *get.CustomColumnsPrinter
}

// resolve works the flags out, once.
func (f *Flags) resolve() (*output, error) {
	if f.output != nil {
		return f.output, nil
	}
	format, err := f.format()
	if err != nil {
		return nil, err
	}
	out := &output{format: format, kubectl: f.kubectl.Copy()}
	if format == jsonPath || format == goTemplate {
		if err := out.readTemplate(); err != nil {
			return nil, err
		}
	}
	if format != jsonLines {
		printer, err := out.kubectl.ToPrinter()
		if err != nil {
			return nil, err
		}
		out.columns, _ = printer.(*get.CustomColumnsPrinter)
	}
	f.output = out
	return out, nil
}

// format is the format that kubectl would choose for the flags, or jsonl.
func (f *Flags) format() (format, error) {
	word, template := *f.kubectl.OutputFormat, *f.kubectl.TemplateFlags.TemplateArgument
	switch {
	case word == "wide", word == "" && template == "":
		return table, nil
	case word == "":
		return goTemplate, nil
	}
	whole := format(strings.ToLower(word))
	if slices.Contains([]format{names, jsonDocument, yamlDocument, kyamlDocument, jsonLines}, whole) {
		return whole, nil
	}
	name, _, inline := strings.Cut(word, "=")
	templates := f.kubectl.TemplateFlags
	switch {
	case inline && template != "":
		// Two templates: kubectl knows no such format either.
	case slices.Contains(templates.JSONPathPrintFlags.AllowedFormats(), name):
		return jsonPath, nil
	case slices.Contains(templates.GoTemplatePrintFlags.AllowedFormats(), name):
		return goTemplate, nil
	case slices.Contains(f.kubectl.CustomColumnsFlags.AllowedFormats(), name):
		return customColumns, nil
	}
	return "", genericclioptions.NoCompatiblePrinterError{OutputFormat: &word, AllowedFormats: f.formats()}
}

// readTemplate puts the template's text where kubectl's flags may have a file's
// name: a file can be a pipe, which can be read only once.
func (o *output) readTemplate() error {
	name, text, inline := strings.Cut(*o.kubectl.OutputFormat, "=")
	if !inline {
		text = *o.kubectl.TemplateFlags.TemplateArgument
	}
	if strings.HasSuffix(name, "file") && text != "" {
		data, err := os.ReadFile(text)
		if err != nil {
			return fmt.Errorf("error reading --template %s, %v", text, err)
		}
		text = string(data)
	}
	o.template = text
	o.asJSON = name == "jsonpath-as-json"

	word := string(o.format)
	if o.asJSON {
		word = name
	}
	templates := genericclioptions.NewKubeTemplatePrintFlags()
	*templates.TemplateArgument = text
	*templates.AllowMissingKeys = *o.kubectl.TemplateFlags.AllowMissingKeys
	o.kubectl.TemplateFlags, o.kubectl.OutputFormat = templates, &word
	return nil
}

// allowMissing is --allow-missing-template-keys.
func (o *output) allowMissing() bool { return *o.kubectl.TemplateFlags.AllowMissingKeys }

// columnsPrinter is a new printer for custom-columns.
func (o *output) columnsPrinter() *get.CustomColumnsPrinter {
	return &get.CustomColumnsPrinter{Columns: o.columns.Columns, NoHeaders: o.columns.NoHeaders}
}

// tables makes kubectl's table printers for one answer. Once a printer has been
// asked for with NAMESPACE or kinds, the later ones have them too, in kubectl
// as here: its flags remember.
func (o *output) tables() func(kind schema.GroupKind, withNamespace, withKind bool) (printers.ResourcePrinter, error) {
	human := *o.kubectl.HumanReadableFlags
	flags := o.kubectl
	flags.HumanReadableFlags = &human
	return func(kind schema.GroupKind, withNamespace, withKind bool) (printers.ResourcePrinter, error) {
		flags.SetKind(kind)
		if withNamespace {
			if err := flags.EnsureWithNamespace(); err != nil {
				return nil, err
			}
		}
		if withKind {
			if err := flags.EnsureWithKind(); err != nil {
				return nil, err
			}
		}
		return flags.ToPrinter()
	}
}
