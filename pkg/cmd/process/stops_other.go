//go:build !unix

package process

import "os"

// Stops are none where shells do not stop processes.
type Stops struct{}

// NewStops has nothing to listen for.
func NewStops() *Stops { return &Stops{} }

// Close does nothing.
func (s *Stops) Close() {}

// Stop never receives.
func (s *Stops) Stop() <-chan os.Signal { return nil }

// Resumed never receives.
func (s *Stops) Resumed() <-chan os.Signal { return nil }

// Suspend does nothing.
func (s *Stops) Suspend() {}
