package cmd

import (
	"context"
	"errors"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// A signal ends the informers, too, and with them the queue: which of both a
// stream sees first must not decide the exit code.
func TestAnEndByASignalIsTakenForSuccess(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := &tailOptions{print: printers.NewFlags()}
	printer, err := o.print.NewEventPrinter(nil, printers.EventOptions{})
	if err != nil {
		t.Fatal(err)
	}
	everything, err := match.Compile(match.ObjectAndOld)
	if err != nil {
		t.Fatal(err)
	}
	q := &question{resourceOptions: &resourceOptions{where: everything}}
	s := &stream{tailOptions: o, question: q, queue: informer.NewQueue(0), costs: &costReport{}}
	s.queue.Close()
	if err := s.run(ctx, s.printTo(printer)); err != nil {
		t.Errorf("all Targets have ended by themselves: got %v", err)
	}
	cancel()
	if err := s.run(ctx, s.printTo(printer)); !errors.Is(err, context.Canceled) {
		t.Errorf("after a signal: got %v", err)
	}
}
