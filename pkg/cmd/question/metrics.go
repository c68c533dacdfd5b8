package question

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/stats"
)

// metered runs a command and keeps --metrics-file, which is there before anything is
// asked. At the end it has the last word, however the command has ended.
func (f *ResourceFlags) metered(ctx context.Context, run func(context.Context) error) error {
	if f.metricsFile == "" {
		return run(ctx)
	}
	if err := f.writeMetrics(true); err != nil {
		return err
	}
	stop := f.keepMetrics(ctx)
	err := run(ctx)
	stop()
	last := f.writeMetrics(false)
	if last != nil {
		// Where a signal has ended the command, nobody else says it.
		f.streams.Console.SayOnce(process.Words(last))
	}
	return errors.Join(err, process.Reported(last))
}

// keepMetrics writes the file on its period until it is stopped, or ctx ends. What
// goes wrong is said once; the next time may go well.
func (f *ResourceFlags) keepMetrics(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(metricsEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := f.writeMetrics(true); err != nil {
					f.streams.Console.WarnOnce(fmt.Sprintf("%v; trying again", err))
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (f *ResourceFlags) writeMetrics(running bool) error {
	err := stats.WriteMetrics(f.metricsFile, f.recorder.Document(f.Connection.Stats()), running)
	if err != nil {
		return fmt.Errorf("--metrics-file cannot be written: %w", err)
	}
	return nil
}
