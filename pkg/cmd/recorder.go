package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// recorder writes what informers report to a file, from which it can be replayed: all
// events of what is asked for, whatever the output is narrowed to. A nil recorder
// records nothing.
type recorder struct {
	// mu is for the end: a stream that waits for its reader may be left behind.
	mu      sync.Mutex
	closed  bool
	file    *os.File
	printer *printers.EventPrinter
	waiting []cache.Event
}

// newRecorder makes the file of a record of Targets, which is to begin.
func newRecorder(path string, print *printers.Flags, targets []cache.Target) (*recorder, error) {
	file, err := createRecord(path)
	if err != nil {
		return nil, err
	}
	r := &recorder{file: file}
	if r.printer, err = print.AsRecord().NewEventPrinter(file, printers.EventOptions{Targets: targets}); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// newRecorder begins the record that --record asks for; nil where it does not. Then
// nothing is left to the server that narrows the output alone.
func (o *tailOptions) newRecorder(ctx context.Context, q *question.Question) (*recorder, error) {
	if o.record == "" {
		return nil, nil
	}
	q.LeaveToServer(plan.Nothing)
	r, err := newRecorder(o.record, o.print, q.Targets())
	if err != nil {
		return nil, err
	}
	definitions, failures := q.Definitions(ctx)
	if len(failures) > 0 {
		o.streams.Console.Warn(lacksColumns(failures))
		o.streams.Console.SayOnce(definitionsHint(failures))
	}
	if err := r.begin(q.Targets(), definitions); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// lacksColumns says what a replay will not have, and why: by the first failure, which
// mostly is that of all.
func lacksColumns(failures []*cache.SyncError) string {
	types := make([]string, len(failures))
	for n, failure := range failures {
		types[n] = failure.Target.Name
	}
	return fmt.Sprintf("--record: a replay will print NAME and AGE alone of %s, whose columns cannot be read: %s",
		strings.Join(types, ", "), strings.TrimPrefix(process.Words(failures[0]), "error: "))
}

// definitionsHint is what to do about it: one rule is for one definition, or for all.
func definitionsHint(failures []*cache.SyncError) string {
	failure := *failures[0]
	if len(failures) > 1 {
		failure.Target.Name = ""
	}
	return process.Hint(&failure, process.Asked{})
}

// createRecord makes the file, for the user alone: objects may hold secrets. One that
// is there is not overwritten, nor appended to; a pipe or a device is written to.
func createRecord(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		return file, recordFault(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("--record: %s is there already, and is not overwritten: name a new file, or remove it", path)
	}
	return file, recordFault(err)
}

func recordFault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--record: %w", err)
}

// begin writes the first line.
func (r *recorder) begin(targets []cache.Target, definitions []*apiextensionsv1.CustomResourceDefinition) error {
	line, err := json.Marshal(dump.NewRecordHeader(time.Now(), targets, definitions))
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	return recordFault(err)
}

// add takes an event of an object, or SYNCED; others are about the connection.
func (r *recorder) add(event cache.Event) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed && (event.Row != nil || event.Type == cache.Synced) {
		r.waiting = append(r.waiting, event)
	}
}

// flush writes the events that were added. One that cannot be printed is left out, and
// the error names it: then the record is not whole.
func (r *recorder) flush() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write()
}

// write is flush; r.mu is held.
func (r *recorder) write() error {
	if len(r.waiting) == 0 {
		return nil
	}
	err := r.printer.Print(r.waiting...)
	r.waiting = r.waiting[:0]
	return recordFault(err)
}

// close ends the record.
func (r *recorder) close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return errors.Join(r.write(), recordFault(r.file.Close()))
}
