// Package guard stands between a reflector and a server: it wraps the
// ListerWatcher of one Target so that the reflector sees only success, the end of
// its context, or an expired resourceVersion, and it alone knows the state of the
// Target's connection.
//
//	connecting ──list──▶ listed ──watch──▶ watching ◀──list or watch── lost, denied
//	     │                  │                  └───────stream ends────────▲
//	     └──────────────────┴── what will not go away by itself ──▶ ended
//	                        listed, watching, lost ── type removed ──▶ gone ──list──▶ listed
//
// connection.go is that machine, policy.go the table of what a fault means in each
// state, backoff.go how long to wait before the next request: all three are pure.
// guard.go, watch.go and stream.go apply them to requests. Each transition is
// emitted as a cache.Event, to stand in one queue with the events of objects.
//
// The package knows no HTTP: a Source says what kind of fault an error is.
package guard
