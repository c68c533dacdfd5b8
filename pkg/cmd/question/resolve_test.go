package question

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// A server that accepts connections and says nothing held a command for as long as
// client-go waits, whatever --sync-timeout said.
func TestAServerThatSaysNothingEndsDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := untilStalled(t.Context(), 2*time.Second, func() client.Stats { return client.Stats{Discovery: 1} })
		defer cancel()
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), process.ErrStalled) || time.Since(began) != 2*time.Second {
			t.Errorf("ended by %v after %v", context.Cause(ctx), time.Since(began))
		}
	})
}

// Discovery of many groups may take long: what arrives is progress.
func TestDiscoveryThatTakesLongIsEndedWhileItGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var received atomic.Int64
		ctx, cancel := untilStalled(t.Context(), 2*time.Second, func() client.Stats {
			return client.Stats{Discovery: 1, BytesReceived: received.Load()}
		})
		defer cancel()
		for range 60 {
			time.Sleep(time.Second)
			received.Add(1)
		}
		if ctx.Err() != nil {
			t.Errorf("ended by %v", context.Cause(ctx))
		}
		time.Sleep(3 * time.Second)
		if !errors.Is(context.Cause(ctx), process.ErrStalled) {
			t.Errorf("it goes on without progress: %v", context.Cause(ctx))
		}
	})
}

// Before anything is asked of the server, it cannot be the one that is slow.
func TestCachedDiscoveryIsNeverTakenForASilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := untilStalled(t.Context(), 2*time.Second, func() client.Stats { return client.Stats{} })
		defer cancel()
		time.Sleep(time.Minute)
		if ctx.Err() != nil {
			t.Errorf("ended by %v", context.Cause(ctx))
		}
	})
}

func TestDiscoveryIsRetriedForWhatPassesAndForNothingElse(t *testing.T) {
	failed := func(reason error) error {
		return &resolve.DiscoveryError{Failed: map[schema.GroupVersion]error{{Group: "a.b", Version: "v1"}: reason}}
	}
	for name, test := range map[string]struct {
		err        error
		unresolved []error
		want       bool
	}{
		"no error":                         {nil, nil, false},
		"an unknown type":                  {errors.New(`the server doesn't have a resource type "x"`), nil, false},
		"a cut answer":                     {io.ErrUnexpectedEOF, nil, true},
		"a server that starts":             {apierrors.NewServiceUnavailable("starting"), nil, true},
		"a wrong token":                    {apierrors.NewUnauthorized("no"), nil, false},
		"a wrong token, not in JSON":       {apierrors.NewGenericServerResponse(401, "get", schema.GroupResource{}, "", "no", 0, true), nil, false},
		"a group whose server is down":     {failed(apierrors.NewServiceUnavailable("down")), nil, false},
		"a group whose answer was cut off": {failed(io.ErrUnexpectedEOF), nil, true},
		"the same, beside others":          {nil, []error{failed(io.ErrUnexpectedEOF)}, true},
	} {
		if got := passes(test.err, test.unresolved); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
