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

// verifier verifies caches on a period.
type verifier struct {
	// keep begins with those of a question's informers, stop ends it with all.
	keep    question.Joined
	stop    context.CancelFunc
	running sync.WaitGroup
}

// endWith ends it, and the informers. Until those have ended others may join.
func (v *verifier) endWith(group *informer.Group) {
	v.stop()
	group.Stop()
	v.running.Wait()
}

func (o *tailOptions) newVerifier(ctx context.Context) *verifier {
	v := &verifier{}
	ctx, v.stop = context.WithCancel(ctx)
	v.keep = func(q *question.Question, informers []*informer.Informer) error {
		if o.verifyEvery == 0 {
			return nil
		}
		listers, err := q.Verifiers()
		if err != nil {
			return err
		}
		for n, i := range informers {
			keeper := &verify.Keeper{Lister: listers[n], Cache: watched{i}, Every: o.verifyEvery, Report: o.reportDifferences}
			v.running.Go(func() { keeper.Run(ctx) })
		}
		return nil
	}
	return v
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
