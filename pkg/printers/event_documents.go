package printers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/util/jsonpath"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

// eventDocuments is the form in which an event is data: a document, or what a
// template makes of it. As JSON it is the WatchEvent that `kubectl get -w
// --output-watch-events -o json` prints, with more members, and without
// managedFields: kubectl drops those from objects and forgets them in events.
type eventDocuments struct {
	to                *bytes.Buffer
	old, diff         bool
	timestamps        bool
	showManagedFields bool
	// render writes one event and whatever closes it.
	render func(w *bytes.Buffer, document eventDocument) error
	// draft is what render writes to, so that half an event is never printed.
	draft bytes.Buffer
}

func (f *Flags) newEventDocuments(to *bytes.Buffer, out *output, terminal bool) (*eventDocuments, error) {
	d := &eventDocuments{to: to, old: f.Old, diff: f.Diff, timestamps: f.Timestamps, showManagedFields: f.showManagedFields()}
	switch out.format {
	case jsonDocument, jsonLines:
		d.render = renderJSON
	case yamlDocument, kyamlDocument:
		d.render = func(w *bytes.Buffer, document eventDocument) error {
			return renderYAML(w, yamlPrinter(out.format, terminal), document)
		}
	case jsonPath:
		d.render = out.renderJSONPath
	default:
		printer, err := out.kubectl.ToPrinter()
		if err != nil {
			return nil, err
		}
		d.render = func(w *bytes.Buffer, document eventDocument) error {
			content, err := document.content()
			if err != nil {
				return err
			}
			return closeLine(w, out.template, printer.PrintObj(&unstructured.Unstructured{Object: content}, w))
		}
	}
	return d, nil
}

func (d *eventDocuments) add(event PreparedEvent) error {
	document, err := d.document(event)
	if err != nil {
		return err
	}
	d.draft.Reset()
	if err := d.render(&d.draft, document); err != nil {
		return err
	}
	_, err = d.draft.WriteTo(d.to)
	return err
}

func (d *eventDocuments) flush() {}

// document is the event as data: its members say something or are left out.
func (d *eventDocuments) document(event PreparedEvent) (eventDocument, error) {
	members := eventDocument{{"type", string(event.Type)}}
	members.addText(contextMember, event.Target.Context)
	if event.Row == nil {
		members.add("apiVersion", event.Target.Kind.GroupVersion().String())
		members.add("kind", event.Target.Kind.Kind)
		members.addText("namespace", event.Target.Namespace)
	} else {
		// The object is as it is in its cluster: it is the event that says which.
		members.add("object", eventObject{event.Row.Bare(), d.showManagedFields})
	}
	if event.Initial {
		members.add("initial", true)
	}
	if d.old && event.Old != nil {
		members.add("oldObject", eventObject{event.Old.Bare(), d.showManagedFields})
	}
	if d.diff {
		if event.unreadable != nil {
			return nil, event.unreadable
		}
		if changes := event.changes.Changes; len(changes) > 0 {
			members.add("changes", changes)
		}
	}
	if event.FinalStateUnknown {
		members.add("finalStateUnknown", true)
	}
	members.addText("reason", string(event.Reason))
	members.addText("since", string(event.Since))
	if d.timestamps && !event.Time.IsZero() {
		members.add("time", event.Time.UTC().Format(time.RFC3339Nano))
	}
	return members, nil
}

// eventDocument is an object whose members keep their order.
type eventDocument []member

type member struct {
	name  string
	value any
}

func (d *eventDocument) add(name string, value any) { *d = append(*d, member{name, value}) }

func (d *eventDocument) addText(name, text string) {
	if text != "" {
		d.add(name, text)
	}
}

// eventObject is an object of an event; only who prints it decodes it.
type eventObject struct {
	row               *cache.Row
	showManagedFields bool
}

// content is the document as templates see it.
func (d eventDocument) content() (map[string]any, error) {
	content := make(map[string]any, len(d))
	for _, member := range d {
		switch value := member.value.(type) {
		case eventObject:
			object, err := printable(value.row, value.showManagedFields)
			if err != nil {
				return nil, err
			}
			content[member.name] = object.Object
		case []diff.Change:
			objects := make([]any, len(value))
			for i, change := range value {
				objects[i] = change.Object()
			}
			content[member.name] = objects
		default:
			content[member.name] = value
		}
	}
	return content, nil
}

// writeJSON writes the members in order. Text is escaped as kubectl does.
func (d eventDocument) writeJSON(w *bytes.Buffer) error {
	separator := byte('{')
	for _, member := range d {
		w.WriteByte(separator)
		separator = ','
		fmt.Fprintf(w, "%q:", member.name)
		if err := member.writeValue(w); err != nil {
			return err
		}
	}
	w.WriteByte('}')
	return nil
}

func (m member) writeValue(w *bytes.Buffer) error {
	if object, ok := m.value.(eventObject); ok {
		text, err := appendJSON(w.AvailableBuffer(), object.row, asLine, object.showManagedFields)
		w.Write(text)
		return err
	}
	if err := json.NewEncoder(w).Encode(m.value); err != nil {
		return err
	}
	w.Truncate(w.Len() - len("\n")) // the encoder's
	return nil
}

func renderJSON(w *bytes.Buffer, document eventDocument) error {
	if err := document.writeJSON(w); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// renderYAML closes each document when it is printed: a reader of the stream
// need not wait for the next one. KYAML opens its documents with the same line.
func renderYAML(w *bytes.Buffer, yaml printers.ResourcePrinter, document eventDocument) error {
	var data bytes.Buffer
	if err := document.writeJSON(&data); err != nil {
		return err
	}
	var text strings.Builder
	if err := yaml.PrintObj(&runtime.Unknown{Raw: data.Bytes()}, &text); err != nil {
		return err
	}
	w.WriteString(strings.TrimPrefix(text.String(), "---\n"))
	w.WriteString("---\n")
	return nil
}

// renderJSONPath parses the template anew for each event: once evaluated, a
// template with a range in it is spent.
func (o *output) renderJSONPath(w *bytes.Buffer, document eventDocument) error {
	path := jsonpath.New("out").AllowMissingKeys(o.allowMissing())
	if err := path.Parse(o.template); err != nil {
		return err
	}
	path.EnableJSONOutput(o.asJSON)
	content, err := document.content()
	if err != nil {
		return err
	}
	if err := execute(path, w, content); err != nil {
		// kubectl's own printer would put the whole object into the error.
		return fmt.Errorf("error executing jsonpath %q: %w", o.template, err)
	}
	return closeLine(w, o.template, nil)
}

// execute is path.Execute, with a panic of the engine as an error.
func execute(path *jsonpath.JSONPath, w io.Writer, content map[string]any) error {
	results, err := fieldpath.Find(path, content)
	for i := 0; err == nil && i < len(results); i++ {
		err = path.PrintResults(w, results[i])
	}
	return err
}

// closeLine ends a template's output with a newline, unless the template does
// so itself. A template with newlines of its own may also choose to print
// nothing.
func closeLine(w *bytes.Buffer, template string, err error) error {
	if err != nil || bytes.HasSuffix(w.Bytes(), []byte("\n")) {
		return err
	}
	if w.Len() == 0 && (strings.Contains(template, "\n") || strings.Contains(template, `\n`)) {
		return nil
	}
	return w.WriteByte('\n')
}
