package process

import "time"

// How long things are waited for at the edges of the process.
const (
	// progressAfter is how long a sync may take before a person is shown how far it is,
	// progressEvery how often the line is renewed.
	progressAfter = time.Second
	progressEvery = 250 * time.Millisecond

	// pollEvery is how often an idle stream looks whether it still has a reader.
	pollEvery = 500 * time.Millisecond

	// drainTime is how long the end waits for a write that nobody reads.
	drainTime = 500 * time.Millisecond

	// burst is how long after a signal others are taken for the same wish: timeout(1)
	// signals its child and then the group that the child is in, a shell that hangs up
	// signals its jobs after the terminal did.
	burst = 500 * time.Millisecond
)
