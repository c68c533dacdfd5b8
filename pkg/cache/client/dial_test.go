package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestConfigureKeepsWhatTheUserHasAndChangesNothingInPlace(t *testing.T) {
	proxied := errors.New("the proxy was asked")
	config := &rest.Config{
		Host: "https://api", Timeout: 7 * time.Second, QPS: 50,
		Proxy: func(*http.Request) (*url.URL, error) { return nil, proxied },
	}
	out := (&Connection{}).Configure(config)
	if out.QPS != -1 || out.Timeout != 7*time.Second || out.DisableCompression {
		t.Errorf("QPS %v, time-out %v, compression off %v", out.QPS, out.Timeout, out.DisableCompression)
	}
	if _, err := out.Proxy(nil); !errors.Is(err, proxied) {
		t.Error("the proxy is lost")
	}
	if config.QPS != 50 || config.Dial != nil || config.WrapTransport != nil {
		t.Error("the given config was changed")
	}
}

// dialing returns a configured Dial over one that fails with the errors in turn,
// and the number of its calls.
func dialing(failures ...error) (dialFunc, *int) {
	calls := 0
	config := &rest.Config{Dial: func(context.Context, string, string) (net.Conn, error) {
		calls++
		if calls > len(failures) || failures[calls-1] == nil {
			client, _ := net.Pipe()
			return client, nil
		}
		return nil, failures[calls-1]
	}}
	return (&Connection{}).Configure(config).Dial, &calls
}

func TestServerThatWasNeverReachedIsDialedOnce(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	dial, calls := dialing(first, second)
	for range 20 {
		if _, err := dial(t.Context(), "tcp", "api:443"); !errors.Is(err, first) {
			t.Fatal(err)
		}
	}
	if *calls != 1 {
		t.Errorf("dialed %d times", *calls)
	}
}

func TestServerThatWasOnceReachedIsDialedEachTime(t *testing.T) {
	down := errors.New("down")
	dial, calls := dialing(nil, down, down, nil)
	for i, want := range []error{nil, down, down, nil} {
		if _, err := dial(t.Context(), "tcp", "api:443"); !errors.Is(err, want) {
			t.Fatalf("dial %d: %v", i, err)
		}
	}
	if *calls != 4 {
		t.Errorf("dialed %d times", *calls)
	}
}

func TestServerThatIsToBeRedialedIsDialedAnew(t *testing.T) {
	down, calls := errors.New("down"), 0
	c := &Connection{}
	dial := c.Configure(&rest.Config{Dial: func(context.Context, string, string) (net.Conn, error) {
		calls++
		return nil, down
	}}).Dial
	for range 3 {
		for range 2 {
			if _, err := dial(t.Context(), "tcp", "api:443"); !errors.Is(err, down) {
				t.Fatal(err)
			}
		}
		c.Redial()
	}
	if calls != 3 {
		t.Errorf("dialed %d times", calls)
	}
}

func TestDialThatWasGivenUpSaysNothingOfTheServer(t *testing.T) {
	dial, _ := dialing(context.Canceled, nil)
	_, _ = dial(t.Context(), "tcp", "api:443")
	if _, err := dial(t.Context(), "tcp", "api:443"); err != nil {
		t.Error(err)
	}
}

func TestDialerGivesUpBeforeAUserDoes(t *testing.T) {
	if d := newDialer(); d.Timeout != 4*time.Second || !d.KeepAliveConfig.Enable {
		t.Errorf("time-out %v", d.Timeout)
	}
}

func TestTimeoutBoundsEachListAndNoWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if isWatch(r) {
				sendWatch(w, r, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}}`)
				return
			}
			<-r.Context().Done()
		})
		config.Timeout = 3 * time.Second
		resource := from(t, config, pods(), cache.Whole)

		before := time.Now()
		_, err := resource.ListWithContext(t.Context(), metav1.ListOptions{})
		if !errors.Is(err, context.DeadlineExceeded) || classify(err) != cache.Overdue {
			t.Errorf("the list that hangs ended with %v", err)
		}
		if waited := time.Since(before); waited != 3*time.Second {
			t.Errorf("the list that hangs ended after %v", waited)
		}

		w, err := resource.WatchWithContext(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		<-w.ResultChan()
		time.Sleep(time.Hour)
		select {
		case e, open := <-w.ResultChan():
			t.Errorf("the watch gave %v, open %v", e, open)
		default:
		}
		w.Stop()
	})
}

// The server gets the limit with the request, and may be the one that ends it. When it
// gives up sooner, that is not the limit's doing.
func TestAServerThatGivesUpIsOverdueOnceTheLimitHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var after time.Duration
		config := serve(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(after)
			refuse(w, apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0))
		})
		config.Timeout = 3 * time.Second
		for _, test := range []struct {
			after time.Duration
			want  cache.Fault
		}{{time.Second, cache.Transient}, {3 * time.Second, cache.Overdue}} {
			after = test.after
			_, err := from(t, config, pods(), cache.Whole).ListWithContext(t.Context(), metav1.ListOptions{})
			if got := classify(err); got != test.want {
				t.Errorf("after %v: fault %v, %v", after, got, err)
			}
		}
	})
}

func TestStatsCountEveryRequestByItsVerb(t *testing.T) {
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/version":
			answer(w, `{"major":"1"}`)
		case isWatch(r):
			sendWatch(w, r, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}}`)
		default:
			answer(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`)
		}
	})
	connection := &Connection{}
	configured := connection.Configure(config)
	client, err := connection.NewClient(configured)
	if err != nil {
		t.Fatal(err)
	}
	lw, err := client.ListerWatcher(pods(), cache.Whole, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := discovery.NewDiscoveryClientForConfigOrDie(configured).ServerVersion(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := lw.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	w, err := lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-w.ResultChan()
	w.Stop()
	got := connection.Stats()
	if got.BytesReceived < 300 {
		t.Errorf("%d bytes received", got.BytesReceived)
	}
	got.BytesReceived = 0
	if want := (Stats{Lists: 2, Watches: 1, Discovery: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
