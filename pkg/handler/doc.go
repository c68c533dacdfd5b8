// Package handler runs a COMMAND for each change of an object: what `tail …
// -- COMMAND` does with the events it is given.
//
//	Event ─Add→ what waits, per object (waiting.go)
//	              │ client-go's rate-limited workqueue (handler.go, work.go;
//	              │ again after a failure: retry.go; not again: cooldown.go)
//	              ▼
//	              one process for each run (program.go) in a group of its own
//	              │ (group_*.go), the event on its stdin
//	              ▼
//	              our stdout and stderr, one run after the other (output.go,
//	              turn.go); what waits for its turn is bounded (spool.go)
//
// The package knows events and processes. It knows no informer, no server and
// no flags.
package handler
