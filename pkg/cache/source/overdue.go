package source

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// overdueError is the end of a request by the limit that the user has set for each.
type overdueError struct{ err error }

// Error is the words of client-go, or of the server.
func (e *overdueError) Error() string { return e.err.Error() }

// Unwrap returns what client-go returned.
func (e *overdueError) Unwrap() error { return e.err }

// overdue marks an error as the work of the limit: our side ends the request by
// it, or the server, which is told of it. A server has limits of its own, too.
func (r *resource) overdue(err error, began time.Time) error {
	timedOut := errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err)
	if timedOut && r.listTimeout > 0 && time.Since(began) >= r.listTimeout {
		return &overdueError{err}
	}
	return err
}
