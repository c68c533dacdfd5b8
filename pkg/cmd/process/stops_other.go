//go:build !unix

package process

import "os"

// Stops are none where shells do not stop processes.
type Stops struct{}

func NewStops() *Stops                     { return &Stops{} }
func (s *Stops) Close()                    {}
func (s *Stops) Stop() <-chan os.Signal    { return nil }
func (s *Stops) Resumed() <-chan os.Signal { return nil }
func (s *Stops) Suspend()                  {}
