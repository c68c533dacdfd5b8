package cmd

import "time"

// How long things are waited for where no flag says it.
const (
	// A server is lost to all Targets at once, and back for all: that is one line each.
	// So a transition waits for those of the others, unless there is none to come:
	// lossWindow is how long Targets may take to notice a loss, returnWindow how long
	// to try again, which is the guard's longest back-off.
	lossWindow   = time.Second
	returnWindow = 6 * time.Second

	// gatewayGrace is for how long something that is no API server may answer for one
	// while discovery is retried.
	gatewayGrace = 5 * time.Second

	// othersWithin is how long a wait that ends since one type was refused may take to
	// list the others, to say what they have.
	othersWithin = time.Second

	// progressAfter is how long a sync may take before a person is shown how far it is,
	// progressEvery how often the line is renewed.
	progressAfter = time.Second
	progressEvery = 250 * time.Millisecond

	// metricsEvery is how often --metrics-file is written while the command runs.
	metricsEvery = 15 * time.Second

	// pollEvery is how often an idle stream looks whether it still has a reader.
	pollEvery = 500 * time.Millisecond

	// drainTime is how long the end waits for a write that nobody reads.
	drainTime = 500 * time.Millisecond

	// burst is how long after a signal others are taken for the same wish: timeout(1)
	// signals its child and then the group that the child is in, a shell that hangs up
	// signals its jobs after the terminal did.
	burst = 500 * time.Millisecond
)
