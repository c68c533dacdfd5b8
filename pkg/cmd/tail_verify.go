package cmd

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/verify"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
)

// watched is the cache of an informer, as what keeps it right sees it.
type watched struct{ *informer.Informer }

// Rows returns what the cache holds, and whether that is known to be the server's state.
func (w watched) Rows() ([]*cache.Row, bool) {
	connected := w.Connected()
	return w.Informer.Rows(nil), connected && w.Connected()
}

// keepVerified verifies the caches on a period. stop ends it, and returns when it has ended.
func (o *tailOptions) keepVerified(ctx context.Context, q *question.Question, group *informer.Group) (stop func(), err error) {
	if o.verifyEvery == 0 {
		return func() {}, nil
	}
	listers, err := q.Verifiers()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for n, i := range group.Informers() {
		keeper := &verify.Keeper{Lister: listers[n], Cache: watched{i}, Every: o.verifyEvery, Report: o.reportDifferences}
		running.Go(func() { keeper.Run(ctx) })
	}
	return func() { cancel(); running.Wait() }, nil
}

// reportDifferences says what was found, and what is done about it.
func (o *tailOptions) reportDifferences(err error) {
	var differs *verify.Error
	if errors.As(err, &differs) {
		o.streams.Console.Say("%s\nlisting %s again", err, differs.Target)
		return
	}
	o.streams.Console.SayOnce(process.Words(err))
}

// validateVerifyEvery says which periods cannot be meant.
func (f *tailFlags) validateVerifyEvery() error {
	if f.verifyEvery != 0 && f.verifyEvery < verify.MinEvery {
		return fmt.Errorf("--verify-every must be at least %v, got %v", verify.MinEvery, f.verifyEvery)
	}
	return nil
}
