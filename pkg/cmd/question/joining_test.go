package question

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

var (
	errDown   = &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	errDenied = errors.New("who are you")
	// errStarting is a denial by a server, which has answered with it.
	errStarting = errors.New("rights are not read yet")
)

// stream is one of contexts that have yet to join, without informers.
type stream struct {
	*testing.T
	*Question
	queue       *informer.Queue
	connections *Connections
	stderr      *bytes.Buffer
	asked       map[string]*atomic.Int64
	stop        context.CancelFunc
}

// beginStream asks each context as its answers say: nil is that it joins. The last one counts
// for all later ones.
func beginStream(t *testing.T, retries bool, contexts []string, answers map[string][]error) *stream {
	s := &stream{T: t, stderr: &bytes.Buffer{}, queue: informer.NewQueue(0), asked: map[string]*atomic.Int64{}}
	console := process.NewConsole(process.Streams{IOStreams: genericiooptions.IOStreams{ErrOut: s.stderr}})
	s.connections = NewConnections(console, true, nil)
	j := &joining{undecided: slices.Clone(contexts), retried: map[string]bool{}, reportBy: time.Now().Add(lossWindow)}
	j.missing.Store(int64(len(contexts)))
	s.Question = &Question{ResourceOptions: &ResourceOptions{Streams: process.Streams{Console: console}}, joining: j}
	ctx, cancel := context.WithCancel(t.Context())
	s.stop = cancel
	t.Cleanup(cancel)
	for _, name := range contexts {
		s.asked[name] = &atomic.Int64{}
	}
	for _, name := range contexts {
		connection := &Connection{context: name}
		go s.joinOnceUp(ctx, connection, retries, s.queue, func(down *outage) error {
			n := min(s.asked[name].Add(1), int64(len(answers[name])))
			if err := answers[name][n-1]; err != nil {
				if errors.Is(err, errStarting) {
					answer(t, connection)
				}
				return err
			}
			part := &Question{context: name, Subjects: []Subject{{Target: in(name, target("pods"))}}}
			part.Dependencies = NewDependencies(part)
			s.arrive(s.queue, arrival{context: name, part: part, down: down.lasted()})
			return nil
		})
	}
	return s
}

// answer has a server be reached.
func answer(t *testing.T, c *Connection) {
	client, err := rest.HTTPClientFor(c.Configure(&rest.Config{Host: "http://api", Transport: answering{}}))
	if err != nil {
		t.Error(err)
		return
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api/version", http.NoBody)
	if err != nil {
		t.Error(err)
		return
	}
	response, err := client.Do(request)
	if err != nil {
		t.Error(err)
		return
	}
	if err := response.Body.Close(); err != nil || !c.Reached() {
		t.Errorf("not reached: %v", err)
	}
}

// answering is a transport to a server that answers.
type answering struct{}

func (answering) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: http.NoBody, Request: request}, nil
}

// after has the stream read what has come after some time.
func (s *stream) after(d time.Duration) []string {
	time.Sleep(d)
	synctest.Wait()
	for {
		if _, ok := s.queue.Poll(); !ok {
			break
		}
	}
	var joined []string
	for _, part := range s.Admit(s.queue, s.connections) {
		joined = append(joined, part.Context())
	}
	return joined
}

func (s *stream) expect(stderr string) {
	s.Helper()
	if got := s.stderr.String(); got != stderr {
		s.Errorf("got\n%swant\n%s", got, stderr)
	}
	s.stderr.Reset()
}

func TestAClusterThatIsDownIsReportedOnceAndJoinsWhenItIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{
			"east": {nil}, "west": {errDown, errDown, errDown, errDown, nil},
		})
		if joined := s.after(0); !slices.Equal(joined, []string{"east"}) || len(s.Undecided()) != 0 || s.Complete() {
			t.Errorf("%q joined", joined)
		}
		s.expect("context \"west\": error: dial: connection refused; trying again\n")
		if len(s.Resolved.Unresolved) != 1 || s.IsAbandoned(s.connections) {
			t.Errorf("unresolved: %v", s.Resolved.Unresolved)
		}
		if joined := s.after(2 * time.Second); joined != nil {
			t.Errorf("%q joined", joined)
		}
		s.expect("")
		if joined := s.after(time.Minute); !slices.Equal(joined, []string{"west"}) || !s.Complete() {
			t.Errorf("%q joined", joined)
		}
		if said := s.stderr.String(); !strings.HasPrefix(said, `connection is back for pods in context "west" after `) || strings.Count(said, "\n") != 1 {
			t.Error(said)
		}
		if len(s.Resolved.Unresolved) != 0 || len(s.Subjects) != 2 || s.asked["west"].Load() != 5 {
			t.Errorf("unresolved %v, %d subjects, asked %d times", s.Resolved.Unresolved, len(s.Subjects), s.asked["west"].Load())
		}
	})
}

func TestAClusterIsAskedForAsLongAsTheStreamGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {nil}, "west": {errDown}})
		s.after(time.Hour)
		// Not more often than every five seconds, nor less often than with all of the jitter.
		if n := s.asked["west"].Load(); n < 600 || n > 730 {
			t.Errorf("asked %d times", n)
		}
		s.stop()
		synctest.Wait()
		asked := s.asked["west"].Load()
		s.after(time.Hour)
		if s.asked["west"].Load() != asked {
			t.Error("asked after the end")
		}
	})
}

func TestWhatWaitingDoesNotMendIsNotAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {nil}, "west": {errDown, errDenied}})
		s.after(0)
		s.after(time.Hour)
		s.expect("context \"west\": error: dial: connection refused; trying again\ncontext \"west\": error: who are you\n")
		if s.asked["west"].Load() != 2 || len(s.Resolved.Unresolved) != 1 || !errors.Is(s.Resolved.Unresolved[0], errDenied) {
			t.Errorf("asked %d times, %v", s.asked["west"].Load(), s.Resolved.Unresolved)
		}
	})
}

// An API server that starts denies its users until it has read their rights.
func TestAServerThatHasComeUpMayRefuseForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {nil}, "west": {errDown, errStarting, errStarting, nil}})
		s.after(0)
		s.stderr.Reset()
		if joined := s.after(time.Minute); !slices.Equal(joined, []string{"west"}) || strings.Contains(s.stderr.String(), "rights") {
			t.Errorf("%q joined: %s", joined, s.stderr)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {nil}, "west": {errDown, errStarting}})
		s.after(0)
		s.stderr.Reset()
		s.after(time.Minute)
		s.expect("context \"west\": error: rights are not read yet\n")
	})
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {nil}, "west": {errStarting}})
		s.after(0)
		s.expect("context \"west\": error: rights are not read yet\n")
	})
}

func TestAServerThatHangsIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalled := process.NewTimedOut(process.ErrStalled, "no progress for 1m0s")
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {nil}, "west": {stalled, nil}})
		s.after(0)
		s.expect("context \"west\": error: timed out waiting for the server to say which resource types it has: no progress for 1m0s; trying again\n")
		if joined := s.after(time.Minute); !slices.Equal(joined, []string{"west"}) {
			t.Errorf("%q joined", joined)
		}
	})
}

func TestAStreamThatDoesNotGoOnAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, false, []string{"west", "east"}, map[string][]error{"east": {nil}, "west": {errDown}})
		s.after(time.Hour)
		s.expect("context \"west\": error: dial: connection refused\n")
		if s.asked["west"].Load() != 1 {
			t.Errorf("asked %d times", s.asked["west"].Load())
		}
	})
}

func TestNothingButClustersThatAreDownIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {errDown}, "west": {errDown}})
		s.after(0)
		if !s.IsAbandoned(s.connections) {
			t.Error("waited for")
		}
		// It is one mistake, such as a network that is down, and is said once, at the end.
		if err := s.Unanswered(); err == nil || process.IsReported(err) || !errors.Is(err, errDown) {
			t.Errorf("unanswered: %v", err)
		}
		s.expect("")
	})
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {nil}, "west": {errDown}})
		s.after(0)
		if s.IsAbandoned(s.connections) {
			t.Error("the east is followed")
		}
		s.connections.See(cache.Event{Type: cache.Ended, Target: in("east", target("pods")), Err: errDenied})
		if !s.IsAbandoned(s.connections) || s.Unanswered() != nil {
			t.Errorf("the east has ended: %v", s.Unanswered())
		}
	})
}

func TestAnErrorIsReportedThoughOthersStillHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west", "east"}, map[string][]error{"east": {errDenied}, "west": {errDown}})
		s.joining.undecided = append(s.joining.undecided, "hanging")
		s.after(0)
		s.expect("")
		due := s.ReportBy()
		if due.IsZero() || s.IsAbandoned(s.connections) {
			t.Fatal("nothing to report")
		}
		s.after(time.Until(due))
		said := strings.Split(s.stderr.String(), "\n")
		slices.Sort(said)
		if want := []string{"", `context "east": error: who are you`, `context "west": error: dial: connection refused; trying again`}; !slices.Equal(said, want) {
			t.Errorf("got %q", said)
		}
		if !s.ReportBy().IsZero() {
			t.Error("reported, and due")
		}
		s.joining.undecided = nil
		if err := s.Unanswered(); !process.IsReported(err) {
			t.Errorf("reported twice: %v", err)
		}
	})
}

func TestAnErrorIsReportedThoughTheStreamEndsBeforeItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := beginStream(t, true, []string{"west"}, map[string][]error{"west": {errDenied}})
		s.joining.undecided = append(s.joining.undecided, "hanging")
		s.after(0)
		s.expect("")
		s.ReportLost()
		s.expect("context \"west\": error: who are you\n")
		s.ReportLost()
		s.expect("")
	})
}
