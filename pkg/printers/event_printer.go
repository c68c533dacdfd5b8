package printers

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/printers"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// EventOptions are what an EventPrinter must know of the question.
type EventOptions struct {
	Scope
	// Targets are all that the stream is about.
	Targets []cache.Target
	// Terminal means that the output is a terminal: text is escaped in every
	// format. In tables it always is.
	Terminal bool
	// Colour paints the rows of tables, and what changed below them. See
	// Flags.Colour.
	Colour bool
	// Now is the clock for ages; nil is time.Now.
	Now func() time.Time
}

// ObjectError is an event that could not be printed, because of what its object
// holds. The stream is intact: the next event can be printed.
type ObjectError struct {
	Event cache.Event
	Err   error
}

// Error names the object and the cause.
func (e *ObjectError) Error() string {
	if e.Event.Row == nil {
		return fmt.Sprintf("%s of %s: %v", e.Event.Type, e.Event.Target, e.Err)
	}
	return fmt.Sprintf("%s of %s: %v", e.Event.Type, objectName(e.Event.Row), e.Err)
}

// Unwrap returns the cause.
func (e *ObjectError) Unwrap() error { return e.Err }

// eventForm renders events in one format.
type eventForm interface {
	// add renders an event, or nothing of it if it returns an error.
	add(event PreparedEvent) error
	// flush moves what add may have kept back to the buffer.
	flush()
}

// EventPrinter prints a stream of events. It is for one goroutine.
type EventPrinter struct {
	to   io.Writer
	form eventForm
	// rendered is what form has rendered and is not written yet.
	rendered *bytes.Buffer
	// safe means that text is escaped, but for the characters in layout.
	safe   bool
	layout string
	// paint colours what is safe; nil leaves it plain.
	paint func(text []byte) []byte
	// prepare is what Print does to events; nil where nobody asks what changed.
	prepare func(cache.Event) PreparedEvent
	// widen is Widen of tables; nil where a line says nothing of others.
	widen func(Scope, []cache.Target)
}

// NewEventPrinter returns a printer of events to w.
func (f *Flags) NewEventPrinter(w io.Writer, o EventOptions) (*EventPrinter, error) {
	out, err := f.resolve()
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &EventPrinter{to: w, rendered: &bytes.Buffer{}, safe: o.Terminal, layout: "\n\t"}
	if f.Diff {
		p.prepare = f.Prepare
	}
	switch out.format {
	case table, customColumns:
		p.safe = true
		if o.Colour {
			p.paint = painter{leadWidth: f.timeWidth(stamp{local: o.Terminal})}.paint
		}
		p.formRows(f, out, o)
	case names:
		p.form = &eventNames{to: p.rendered, timestamps: f.Timestamps, terminal: o.Terminal}
	default:
		p.form, err = f.newEventDocuments(p.rendered, out, o.Terminal)
	}
	return p, err
}

// formRows has the printer print rows of tables, which begin anew once they have to be
// others.
func (p *EventPrinter) formRows(f *Flags, out *output, o EventOptions) {
	changes := &changeLines{shown: f.Diff, gone: map[cache.ObjectKey]types.UID{}}
	begin := func() {
		p.form, p.layout = f.newEventRows(p.rendered, out, o, changes), "\n"
		if _, mixed := p.form.(*eventMixed); mixed {
			p.layout += nameBegins + nameEnds
		}
	}
	begin()
	if out.format == customColumns {
		return
	}
	p.widen = func(scope Scope, targets []cache.Target) {
		before := o
		o.Scope, o.Targets = scope, targets
		if o.showsNamespaces() != before.showsNamespaces() || severalTypes(o.Targets) != severalTypes(before.Targets) {
			begin()
		}
	}
}

// Widen has the printer print events of other Targets, too. A table that looks different
// then begins anew, with its header.
func (p *EventPrinter) Widen(scope Scope, targets []cache.Target) {
	if p.widen != nil {
		p.widen(scope, targets)
	}
}

// Print is PrintPrepared of events that were not prepared.
func (p *EventPrinter) Print(events ...cache.Event) error {
	prepared := make([]PreparedEvent, len(events))
	for i, event := range events {
		prepared[i] = PreparedEvent{Event: event}
		if p.prepare != nil {
			prepared[i] = p.prepare(event)
		}
	}
	return p.PrintPrepared(prepared...)
}

// enough is how much text is written at once where that is nobody's layout: a pipe
// holds no more, and whoever reads need not wait for the rest.
const enough = 64 << 10

// PrintPrepared writes events, those of a table in one piece: nothing is kept back when
// it returns. An error of the writer is returned as it is. Events that cannot be
// printed are left out, the others printed, and the error holds an ObjectError
// for each. Noise is printed like any event: whoever does not want it asks
// IsNoise first.
func (p *EventPrinter) PrintPrepared(events ...PreparedEvent) error {
	var failed []error
	for _, event := range events {
		if err := p.form.add(event); err != nil {
			failed = append(failed, &ObjectError{Event: event.Event, Err: err})
		}
		if p.rendered.Len() >= enough {
			if err := p.write(); err != nil {
				return err
			}
		}
	}
	p.form.flush()
	if err := p.write(); err != nil {
		return err
	}
	return errors.Join(failed...)
}

// write hands over what was rendered: made safe, and only then coloured.
func (p *EventPrinter) write() error {
	defer p.rendered.Reset()
	data := p.rendered.Bytes()
	if len(data) == 0 {
		return nil
	}
	if p.safe {
		data = display.Escape(data, p.layout)
	}
	if p.paint != nil {
		data = p.paint(data)
	}
	n, err := p.to.Write(data)
	if err == nil && n < len(data) {
		return io.ErrShortWrite
	}
	return err
}

// newEventRows returns the form of tables, kubectl's or of custom columns.
func (f *Flags) newEventRows(to *bytes.Buffer, out *output, o EventOptions, changes *changeLines) eventForm {
	lead := leadColumns{
		timestamps: f.Timestamps,
		stamp:      stamp{local: o.Terminal},
		contexts:   o.Contexts,
		namespaces: o.showsNamespaces(),
	}
	if out.format == customColumns {
		lead.namespaces, lead.contexts = false, false
		return newEventColumns(to, out.columns, lead, changes, f.showManagedFields())
	}
	cells := eventCells{bare: bareColumns(), now: o.Now}
	if severalTypes(o.Targets) {
		human := f.kubectl.HumanReadableFlags
		return &eventMixed{
			to: to, tabs: printers.GetNewTabWriter(to), lead: lead, changes: changes, cells: cells,
			wide: *f.kubectl.OutputFormat == "wide", labels: *human.ColumnLabels, allLabels: *human.ShowLabels,
			headerDue: !f.noHeaders(), marked: o.Colour,
		}
	}
	tables := out.tables()
	var side *sideBySide
	if o.Contexts {
		side = f.newSideBySide()
	}
	return &eventTables{
		to: to, tabs: printers.GetNewTabWriter(to), lead: lead, changes: changes, cells: cells, side: side,
		newTable: func(kind schema.GroupKind) (printers.ResourcePrinter, error) {
			return tables(kind, false, f.showKind())
		},
	}
}

// timeWidth is how many characters a line has in front of its event.
func (f *Flags) timeWidth(s stamp) int {
	if !f.Timestamps {
		return 0
	}
	return len(s.layout()) + len("   ")
}

func severalTypes(targets []cache.Target) bool {
	return slices.ContainsFunc(targets, func(t cache.Target) bool { return t.TableKind() != targets[0].TableKind() })
}

func (o EventOptions) showsNamespaces() bool {
	return o.several() && slices.ContainsFunc(o.Targets, func(t cache.Target) bool { return t.Namespaced })
}
