package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

const (
	// progressAfter is how long a sync may take before a person is shown how far
	// it is, progressEvery how often the line is renewed.
	progressAfter = time.Second
	progressEvery = 250 * time.Millisecond
)

// showProgress shows on a console how far a sync is, until all Targets have synced
// or ended, or ctx ends. The returned channel is closed when the line is gone.
func showProgress(ctx context.Context, console *console, group *informer.Group) <-chan struct{} {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_ = group.WaitSettled(ctx)
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-time.After(progressAfter):
		case <-ctx.Done():
			return
		}
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		defer console.hideProgress()
		for {
			console.showProgress(progressOf(group))
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ended
}

// progressOf says for each Target that has not synced how many objects have
// come, and of how many where the server says.
func progressOf(group *informer.Group) string {
	var parts []string
	for _, i := range group.Informers() {
		if i.Settled() {
			continue
		}
		objects, remaining := i.Progress()
		part := fmt.Sprintf("%s: %d", i.Target.Resource.Resource, objects)
		if remaining > 0 {
			part += fmt.Sprintf(" of %d", int64(objects)+remaining)
		}
		parts = append(parts, part)
	}
	const shown = 3
	if more := len(parts) - shown; more > 0 {
		parts = append(parts[:shown], fmt.Sprintf("and %d more types", more))
	}
	return display.Escape("listing "+strings.Join(parts, ", "), "")
}
