package leader

import "fmt"

// Error is why this replica cannot even wait to lead.
type Error struct {
	Namespace, Name string
	// Verb is what was asked for: get, create or update.
	Verb string
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("cannot %s the lease %s/%s: %v", e.Verb, e.Namespace, e.Name, e.Err)
}

// Unwrap returns what the client returned.
func (e *Error) Unwrap() error { return e.Err }

// LostError is the end of this replica's leading.
type LostError struct {
	Namespace, Name string
	// Holder is who leads now; empty where that is not known.
	Holder string
	// Work is what the work returned, which most likely is the end of its context.
	Work error
}

func (e *LostError) Error() string {
	lost := fmt.Sprintf("no longer the leader: lease %s/%s ", e.Namespace, e.Name)
	if e.Holder != "" {
		return lost + "is held by " + e.Holder
	}
	return lost + fmt.Sprintf("could not be renewed for %v", RenewDeadline)
}
