package dump

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Record is a stream of events that was saved, one JSON object a line, as `tail -o
// json` prints them. It does not change.
type Record struct {
	events []recorded
	// types are those that the first line names.
	types []apiType
	// columns are those that the first line has of the types, each as the part of a
	// definition that has them.
	columns []*definition
	// marked says that the record says itself when all initial objects have come;
	// timed that it says when each event came.
	marked, timed bool
	warnings      []string
}

// recorded is one event of a record.
type recorded struct {
	kind cache.EventType
	// object is nil for SYNCED, which is about a type, in a namespace or in all.
	object, old *object
	of          schema.GroupVersionKind
	namespace   string

	initial, finalStateUnknown bool
	reason                     cache.Reason
	// time is when the event was learned; zero where that was not recorded.
	time time.Time
}

// recordLine is a line of a record as it is written.
type recordLine struct {
	Type              cache.EventType  `json:"type"`
	Object            span             `json:"object"`
	OldObject         span             `json:"oldObject"`
	Initial           bool             `json:"initial"`
	FinalStateUnknown bool             `json:"finalStateUnknown"`
	Reason            cache.Reason     `json:"reason"`
	Time              time.Time        `json:"time"`
	APIVersion        string           `json:"apiVersion"`
	Kind              string           `json:"kind"`
	Namespace         string           `json:"namespace"`
	Targets           []recordedTarget `json:"targets"`
}

// ReadRecord reads the record in a file, or in stdin where the path is "-". A last line
// that was cut off is a warning; any other line that is no event is an error.
func ReadRecord(ctx context.Context, path string, stdin io.Reader) (*Record, error) {
	if info, err := os.Stat(path); path != stdinPath && err == nil && info.IsDir() {
		return nil, fmt.Errorf("the path %q is a directory: a record is one file", path)
	}
	files, err := findFiles([]string{path}, stdin)
	if err != nil {
		return nil, err
	}
	opened, err := files[0].open()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	r := &recordReader{file: files[0], record: &Record{timed: true}, alive: map[name]bool{}}
	if err := r.read(ctx, bufio.NewReader(decoded(newBounded(opened, largest)))); err != nil {
		return nil, fmt.Errorf("%s: %w", files[0].name, err)
	}
	return r.record, nil
}

// Warnings are single lines for stderr.
func (r *Record) Warnings() []string { return r.warnings }

// Timed says whether it was recorded when each event came.
func (r *Record) Timed() bool { return r.timed }

// recordReader reads a record line by line.
type recordReader struct {
	file   *file
	record *Record
	line   int
	// alive are the objects that there are after the events so far.
	alive map[name]bool
}

func (r *recordReader) read(ctx context.Context, lines *bufio.Reader) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		r.line++
		if raw := bytes.TrimSpace(text); len(raw) > 0 {
			if err != nil && !json.Valid(raw) {
				r.record.warnings = append(r.record.warnings, fmt.Sprintf(
					"%s: line %d, the last, was cut off and is left out", r.file.name, r.line))
				return nil
			}
			if fault := r.take(raw); fault != nil {
				return fmt.Errorf("line %d: %w", r.line, fault)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// take takes a line in.
func (r *recordReader) take(raw []byte) error {
	if raw[0] != '{' {
		return errors.New("not an event: a record has one event a line, as tail -o json prints it")
	}
	var line recordLine
	if err := kubejson.Unmarshal(raw, &line); err != nil {
		return fmt.Errorf("not an event: %w", err)
	}
	switch line.Type {
	case RecordType:
		return r.header(line)
	case watch.Bookmark:
		return nil
	case cache.Synced:
		return r.synced(line)
	case cache.Added, cache.Modified, cache.Deleted, cache.Resync:
		return r.event(line)
	case "":
		return errors.New("not an event: it has no type")
	}
	return fmt.Errorf("not an event: its type is %q", line.Type)
}

func (r *recordReader) synced(line recordLine) error {
	version, err := schema.ParseGroupVersion(line.APIVersion)
	switch {
	case err != nil:
		return err
	case line.APIVersion == "" || line.Kind == "":
		return errors.New("SYNCED lacks apiVersion or kind")
	}
	r.record.marked = true
	r.add(recorded{kind: cache.Synced, of: version.WithKind(line.Kind), namespace: line.Namespace, time: line.Time})
	return nil
}

func (r *recordReader) event(line recordLine) (err error) {
	e := recorded{
		kind: line.Type, initial: line.Initial, finalStateUnknown: line.FinalStateUnknown,
		reason: line.Reason, time: line.Time,
	}
	if e.object, err = r.object(line.Object); err != nil {
		return err
	}
	if line.OldObject != nil {
		if e.old, err = r.object(line.OldObject); err != nil {
			return err
		}
	}
	e.of = e.object.kind
	id := e.object.id()
	if e.initial && r.alive[id] {
		return fmt.Errorf("%s %q is there at the start once more: another run begins, and each has to be asked alone", e.of.Kind, id.Name)
	}
	r.alive[id] = e.kind != cache.Deleted
	r.add(e)
	return nil
}

func (r *recordReader) add(e recorded) {
	r.record.timed = r.record.timed && !e.time.IsZero()
	r.record.events = append(r.record.events, e)
}

// object reads the one object that an event has.
func (r *recordReader) object(raw span) (*object, error) {
	d := &document{origin: origin{r.file, r.line, r.line}}
	if !raw.begins('{') {
		return nil, errors.New("not an event: it has no object")
	}
	if err := d.read(raw); err != nil {
		return nil, fmt.Errorf("not an event: %w", err)
	}
	if len(d.objects) != 1 || len(d.faults) > 0 || len(d.objects[0].raw) != len(raw) {
		return nil, errors.New("not an event of one object")
	}
	return d.objects[0], nil
}

// id is what the object is told apart by.
func (o *object) id() name {
	return name{o.kind, types.NamespacedName{Namespace: o.namespace, Name: o.name}}
}
