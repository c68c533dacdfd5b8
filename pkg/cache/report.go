package cache

// Fault is the kind of a failed request, as far as it decides what to do next.
type Fault int

const (
	// Transient faults go away by themselves: 429, 5xx, time-outs, resets.
	Transient Fault = iota
	// Unreachable: refused, no such host, no route, TLS. No server was reached.
	Unreachable
	// Denied: forbidden, or credentials that the server does not accept.
	Denied
	// Missing: the server does not have the type (any more).
	Missing
	// Unsupported: the type cannot be listed or watched.
	Unsupported
	// Invalid: the server cannot make sense of the request, of a selector mostly.
	Invalid
	// Overdue: the limit that the user sets for each request has passed.
	Overdue
	// Expired: the resourceVersion is too old; only a new list helps.
	Expired
)

// Op is the request a Report is about.
type Op string

const (
	OpList  Op = "list"
	OpWatch Op = "watch"
)

// Report is what the guard round a ListerWatcher says of one request or of one
// stream. Reports are values for a policy to act on, never log lines.
type Report struct {
	Op Op
	// Err is nil where all is well: a page arrived, a watch is open.
	Err   error
	Fault Fault
	// Objects and Remaining tell the progress of a list: how many have arrived
	// in this list so far, and how many more the server says there are (0 where
	// it does not say).
	Objects   int
	Remaining int64
	// Done marks a list whose last page arrived, and a watch that opened.
	Done bool
}
