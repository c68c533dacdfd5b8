package cache

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
