package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// counter counts the pods that a stream prints.
type counter struct {
	mark []byte
	pods atomic.Int64
	// ended is closed when the stream has ended.
	ended chan struct{}
}

// counting counts the marks in a stream until it ends.
func counting(stdout io.Reader, mark string) *counter {
	c := &counter{mark: []byte(mark), ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		c.read(stdout)
	}()
	return c
}

// read reads as much as there is, rather than lines: a line of kubectl's may have all
// pods.
func (c *counter) read(stdout io.Reader) {
	buffer := make([]byte, 64<<10)
	kept := 0
	for {
		n, err := stdout.Read(buffer[kept:])
		text := buffer[:kept+n]
		c.pods.Add(int64(bytes.Count(text, c.mark)))
		if err != nil {
			return // the stream's end, or the tool's
		}
		// Too short for a whole mark, so that none is counted twice.
		kept = copy(buffer, text[max(0, len(text)-len(c.mark)+1):])
	}
}

// wait waits until so many pods have been printed.
func (c *counter) wait(ctx context.Context, n int) error {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for c.pods.Load() < int64(n) {
		select {
		case <-ticks.C:
		case <-c.ended:
			if got := c.pods.Load(); got < int64(n) {
				return fmt.Errorf("printed %d of %d pods: %w", got, n, errEnded)
			}
		case <-ctx.Done():
			return fmt.Errorf("printed %d of %d pods: %w", c.pods.Load(), n, context.Cause(ctx))
		}
	}
	return nil
}
