package leader

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// lock is a Lease as client-go's elector uses it. The elector logs what happens to
// it, and hides it from its caller: a refusal is retried for ever, and its own context
// ends only after it has tried to release a Lease that it has lost. So what is known
// of the Lease is learned here. All but term is used by the elector's goroutine alone.
type lock struct {
	*resourcelock.LeaseLock
	options Options
	// refused gets the error with which there is no sense in waiting.
	refused chan error
	// term ends, with a LostError, when the Lease is not known to be held any more.
	term context.Context
	lose context.CancelCauseFunc
	// expiry ends the term when the Lease has not been renewed; nil before it is held.
	expiry *time.Timer
	// holder is who held the Lease when it was last read.
	holder string
	// answered says that the server has answered any request.
	answered bool
	// failure is why the last request failed; nil where it did not.
	failure error
}

// stop ends what the lock has started.
func (l *lock) stop() {
	l.lose(nil)
	if l.expiry != nil {
		l.expiry.Stop()
	}
}

// Get reads the Lease.
func (l *lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	record, raw, err := l.LeaseLock.Get(ctx)
	if apierrors.IsNotFound(err) {
		l.holder = ""
		l.note(ctx, "get", nil) // it is created next
		return record, raw, err
	}
	l.note(ctx, "get", err)
	if err == nil {
		l.see(record.HolderIdentity)
	}
	return record, raw, err
}

// Create creates the Lease, held by this replica.
func (l *lock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	began := time.Now()
	err := l.LeaseLock.Create(ctx, record)
	l.note(ctx, "create", err)
	if err == nil {
		l.renewed(began)
	}
	return err
}

// errNotHeld is why a Lease is not released: it would be taken from who holds it.
var errNotHeld = errors.New("the lease is held by another replica")

// Update takes, renews or releases the Lease.
func (l *lock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	releases := record.HolderIdentity == ""
	if releases && l.holder != l.Identity() {
		return errNotHeld
	}
	began := time.Now()
	err := l.LeaseLock.Update(ctx, record)
	l.note(ctx, "update", err)
	if err == nil && !releases {
		l.holder = l.Identity()
		l.renewed(began)
	}
	return err
}

// renewed notes that the Lease is held as of the time at which that was asked for.
func (l *lock) renewed(began time.Time) {
	left := time.Until(began.Add(RenewDeadline))
	if l.expiry == nil {
		l.expiry = time.AfterFunc(left, l.expire)
		return
	}
	l.expiry.Reset(left)
}

func (l *lock) expire() { l.lose(&LostError{Namespace: l.options.Namespace, Name: l.options.Name}) }

// see notes who holds the Lease.
func (l *lock) see(holder string) {
	changed := holder != l.holder
	l.holder = holder
	switch {
	case holder == "" || holder == l.Identity():
	case l.expiry != nil:
		l.lose(&LostError{Namespace: l.options.Namespace, Name: l.options.Name, Holder: holder})
	case changed:
		l.options.Waiting(holder)
	}
}

// note notes what came of a request.
func (l *lock) note(ctx context.Context, verb string, err error) {
	defer func() {
		if l.expiry == nil {
			l.options.Asked(l.failure == nil)
		}
	}()
	switch {
	case err == nil, apierrors.IsConflict(err), apierrors.IsAlreadyExists(err): // another was faster
		l.answered, l.failure = true, nil
		return
	case ctx.Err() != nil:
		return
	case l.expiry == nil && l.isRefusal(verb, err):
		select {
		case l.refused <- &Error{Namespace: l.options.Namespace, Name: l.options.Name, Verb: verb, Err: err}:
		default:
		}
	case l.failure == nil:
		l.options.Retrying(err)
	}
	l.failure = err
}

// isRefusal says whether an error is one that time does not heal. A server that has
// never been reached is most likely not there.
func (l *lock) isRefusal(verb string, err error) bool {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return true
	}
	if verb == "create" && apierrors.IsNotFound(err) {
		return true // the namespace
	}
	return !l.answered && apierrors.ReasonForError(err) == "" && !errors.Is(err, context.DeadlineExceeded)
}
