package leader

import (
	"context"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// The times of Kubernetes' own components.
const (
	// LeaseDuration is how long other replicas wait since they have last seen the
	// leader renew the Lease.
	LeaseDuration = 15 * time.Second
	// RenewDeadline is how long the leader goes on without having renewed it.
	RenewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
	// RequestTimeout is what a client of the Lease has to bound each request with, so
	// that one which hangs leaves time for another before RenewDeadline.
	RequestTimeout = RenewDeadline / 2
)

// Options are which Lease is to be held, and what is to be known of it.
type Options struct {
	Client          coordinationv1client.LeasesGetter
	Namespace, Name string
	// Identity tells this replica from all others, and from its own past.
	Identity string
	// Asked gets, while this replica does not lead, whether the server has answered.
	Asked func(answered bool)
	// Waiting gets the replica that leads, each time it is another one.
	Waiting func(holder string)
	// Leading is called when this replica leads, before the work begins.
	Leading func()
	// Retrying gets the first error of each time in which the server cannot be asked.
	Retrying func(error)
}

// Identity returns one that no other process has: this host's name, which in a
// cluster is the pod's, and a random part.
func Identity() (string, error) {
	host, err := os.Hostname()
	return host + "_" + string(uuid.NewUUID()), err
}

// Run waits until this replica leads, and then does the work. The work's context ends
// with ctx or with the Lease: the error is then a LostError, with what the work
// returned. The Lease is kept until the work has returned, and is then released.
func Run(ctx context.Context, o Options, work func(context.Context) error) error {
	l := newLock(o)
	defer l.stop()
	led := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            l,
		Name:            o.Name,
		LeaseDuration:   LeaseDuration,
		RenewDeadline:   RenewDeadline,
		RetryPeriod:     retryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(led) },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	// Who is asked to end still leads until the work has ended.
	electing, release := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		elector.Run(electing)
	}()
	defer func() {
		release()
		<-ended
	}()
	select {
	case <-led:
	case err := <-l.refused:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
	o.Leading()
	return l.during(ctx, work)
}

// during does the work while the Lease is held.
func (l *lock) during(ctx context.Context, work func(context.Context) error) error {
	leading, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(l.term, func() { end(context.Cause(l.term)) })()
	err := work(leading)
	if lost, ok := context.Cause(leading).(*LostError); ok { //nolint:errorlint // our own cause
		lost.Work = err
		return lost
	}
	return err
}

// newLock is the Lease of the options, held by nobody.
func newLock(o Options) *lock {
	l := &lock{
		LeaseLock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name},
			Client:     o.Client,
			LockConfig: resourcelock.ResourceLockConfig{Identity: o.Identity},
		},
		options: o,
		refused: make(chan error, 1),
	}
	l.term, l.lose = context.WithCancelCause(context.Background())
	return l
}
