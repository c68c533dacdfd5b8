package question

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

	// startGrace is for how long a server that has come up may refuse what it will answer.
	startGrace = 5 * time.Second

	// metricsEvery is how often --metrics-file is written while the command runs.
	metricsEvery = 15 * time.Second
)
