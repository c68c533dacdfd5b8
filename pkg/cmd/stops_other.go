//go:build !unix

package cmd

import "os"

// stops are none where shells do not stop processes.
type stops struct{}

func newStops() *stops                     { return &stops{} }
func (s *stops) close()                    {}
func (s *stops) stop() <-chan os.Signal    { return nil }
func (s *stops) resumed() <-chan os.Signal { return nil }
func (s *stops) suspend()                  {}
