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
	// NoCredentials: a credential plugin or a token file gave none to send.
	NoCredentials
	// Missing: the server does not have the type (any more).
	Missing
	// Ahead: the resourceVersion is one that the server has not come to.
	Ahead
	// Unsupported: the type cannot be listed or watched.
	Unsupported
	// Invalid: the server cannot make sense of the request, of a selector mostly.
	Invalid
	// Overdue: the limit that the user sets for each request has passed.
	Overdue
	// Expired: the resourceVersion is too old; only a new list helps.
	Expired
)

// Op is the request that failed.
type Op string

const (
	OpList  Op = "list"
	OpWatch Op = "watch"
)
