package cmd

import (
	"context"
	"fmt"
	"io"
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
	// eraseLine returns to the start of a terminal's line and erases it.
	eraseLine = "\r\x1b[K"
)

// showProgress shows on a terminal how far a sync is, in one line that it erases
// when all Targets have synced or ended. It ends with ctx, too, and returns a
// function that waits until the line is gone.
func showProgress(ctx context.Context, terminal io.Writer, group *informer.Group) (wait func()) {
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
		defer fmt.Fprint(terminal, eraseLine)
		for {
			fmt.Fprint(terminal, eraseLine, progressOf(group))
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { <-ended }
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
