package client

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

const (
	// dialTimeout bounds each attempt to connect.
	dialTimeout = 4 * time.Second

	// A peer that answers none of three probes is gone: after some 25 seconds.
	keepAliveIdle     = 10 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3

	// discoveryTimeout bounds a question of discovery that decides about a type.
	discoveryTimeout = 5 * time.Second

	// versionTimeout bounds the question of the server's version, whose answer only
	// saves time.
	versionTimeout = 5 * time.Second
	// versionLasts is how long its answer is good: a stream may outlive an upgrade.
	versionLasts = time.Minute
)

// overdueError is the end of a request by the limit that the user has set for each.
type overdueError struct{ err error }

// Error is the words of client-go, or of the server.
func (e *overdueError) Error() string { return e.err.Error() }

// Unwrap returns what client-go returned.
func (e *overdueError) Unwrap() error { return e.err }

// overdue marks an error as the work of the limit: our side ends the request by
// it, or the server, which gets it with the request. A server has limits of its own, too.
func (l *listerWatcher) overdue(err error, began time.Time) error {
	timedOut := errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err)
	if timedOut && l.listTimeout > 0 && time.Since(began) >= l.listTimeout {
		return &overdueError{err}
	}
	return err
}
