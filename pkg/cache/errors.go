package cache

import "fmt"

// SyncError says that a Target could not be read, or no longer can, and why.
type SyncError struct {
	Target Target
	Op     Op
	Fault  Fault
	// TimedOut marks a first list that made no progress for too long.
	TimedOut bool
	// Err is the server's own error where there is one.
	Err error
}

// Error is the cause's own words: kubectl's wording is made of the cause.
func (e *SyncError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *SyncError) Unwrap() error { return e.Err }

// ContextError is an error of one of several clusters, which does not keep the others
// from being asked.
type ContextError struct {
	Context string
	Err     error
}

// Error names the context before the cause's own words.
func (e *ContextError) Error() string { return fmt.Sprintf("context %q: %v", e.Context, e.Err) }

// Unwrap returns the cause.
func (e *ContextError) Unwrap() error { return e.Err }
