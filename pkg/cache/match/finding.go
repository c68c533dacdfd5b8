package match

// finding is what one term comes to for one object.
type finding struct {
	met bool
	// failed says that waiting will not help: what the term is about has failed.
	failed bool
	// what is, of a term that is met, what meets it: `Failed=True`; else what the
	// object has instead.
	what string
	// reason and message are what the object itself says about it.
	reason, message string
	// given is the value of the flag.
	given string
}

// brief says it in a list of several: `Ready=False (ContainersNotReady)`.
func (f finding) brief() string {
	if f.reason == "" {
		return printable(f.what)
	}
	return printable(f.what + " (" + f.reason + ")")
}

// full says all: `Failed=True (BackoffLimitExceeded): Job has reached …`.
func (f finding) full() string {
	if f.message == "" {
		return f.brief()
	}
	return f.brief() + ": " + printable(f.message)
}

// FailedError says that a wait has failed, since an object has.
type FailedError struct {
	// Object is which object it was: `job.batch/import in namespace "shop"`.
	Object string
	// Event is what happened to it: `meets --fail-for=condition=Failed`.
	Event string
	// Why is what the object says about it.
	Why string
}

// Error says it in one line.
func (e *FailedError) Error() string { return e.Object + " " + e.Event + ": " + e.Why }
