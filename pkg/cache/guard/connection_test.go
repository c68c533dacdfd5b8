package guard

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// What may happen to a connection, for TestConnection.
type happening struct {
	name string
	do   func(c *connection, now time.Time) (verdict, []cache.Event)
}

func always(name string, do func(c *connection, now time.Time) []cache.Event) happening {
	return happening{name, func(c *connection, now time.Time) (verdict, []cache.Event) { return retry, do(c, now) }}
}

var (
	lists  = always("lists", func(c *connection, now time.Time) []cache.Event { return c.listComplete(now) })
	opens  = always("opens", func(c *connection, now time.Time) []cache.Event { return c.watchOpened(now) })
	closes = always("closes", func(c *connection, now time.Time) []cache.Event { c.watchClosed(now); return nil })
	page   = always("page", func(c *connection, _ time.Time) []cache.Event { c.progressed(); return nil })
)

func fails(err error) happening {
	return happening{err.Error(), func(c *connection, now time.Time) (verdict, []cache.Event) {
		return c.failed(now, true, diagnoses[err.Error()], err)
	}}
}

// at is something that happens so many seconds after the start.
type at struct {
	second float64
	happening
	// want is the verdict, and what is emitted.
	want    verdict
	emitted string
}

func TestConnection(t *testing.T) {
	connected := []at{{0, lists, retry, ""}, {0, opens, retry, ""}}
	for name, story := range map[string][]at{
		"the first list is retried, which is reported once": {
			{0, fails(errUnavailable), retry, "retrying: the server is starting"},
			{1, fails(errBusy), retry, ""}, {2, page, retry, ""}, {3, fails(errUnavailable), retry, ""},
			{4, lists, retry, ""}, {4, opens, retry, ""}},
		"a watch that is closed and opened again is no news": append(connected,
			at{300, closes, retry, ""}, at{301, opens, retry, ""}),
		"a cut that heals at once is no news": append(connected,
			at{10, closes, retry, ""}, at{10.5, opens, retry, ""}),
		"a gap of more than two seconds is reported when it is over": append(connected,
			at{10, closes, retry, ""}, at{13, opens, retry, "connected after 3s"}),
		"a loss is reported once, and its end": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errRefused), retry, "lost: connection refused"},
			at{11, fails(errUnavailable), retry, ""}, at{15, opens, retry, "connected after 5s"},
			at{20, closes, retry, ""}, at{20, fails(errRefused), retry, "lost: connection refused"}),
		"a loss ends with a list, too": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errRefused), retry, "lost: connection refused"},
			at{15, fails(errTooOld), relist, ""}, at{16, lists, retry, "connected after 6s"}, at{16, opens, retry, ""}),
		"a long time without a watch is reported though every answer was that it has expired": append(connected,
			at{10, closes, retry, ""}, at{11, fails(errTooOld), relist, ""}, at{20, lists, retry, "connected after 10s"}),
		"a denial ends the Target only if it lasts": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errForbidden), retry, ""}, at{14, fails(errForbidden), retry, ""},
			at{15, fails(errForbidden), end, ""}),
		"two denials with another fault between them are not one that lasts": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errForbidden), retry, ""},
			at{20, fails(errUnavailable), retry, "lost: the server is starting"},
			at{30, fails(errForbidden), retry, ""}, at{34, fails(errForbidden), retry, ""},
			at{34.5, opens, retry, "connected after 24.5s"}),
		"a denial before the first watch ends the Target at once": {
			{0, lists, retry, ""}, {0, fails(errForbidden), end, ""}},
		"a denial by a gateway after sync is a loss": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errGateway403), retry, "lost: <html>403</html>"}),
		"a plugin without a token after sync is a loss": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errPlugin), retry, "lost: getting credentials: exec failed"},
			at{60, fails(errPlugin), retry, ""}, at{70, opens, retry, "connected after 1m0s"}),
		"a plugin without a token before sync ends the Target": {{0, fails(errPlugin), end, ""}},
		"a type is gone once it has been missing for three seconds": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errMissing), retry, ""}, at{12, fails(errMissing), retry, ""},
			at{13, fails(errMissing), goneIfLasting, "gone: could not find the requested resource"},
			at{23, fails(errMissing), retry, ""}, at{33, fails(errRefused), retry, ""},
			at{43, lists, retry, "returned"}, at{43, opens, retry, ""}),
		"a type that other faults come between is not gone": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errMissing), retry, ""},
			at{11, fails(errUnavailable), retry, "lost: the server is starting"}, at{14, fails(errMissing), retry, ""}),
		"a type that is missing from the start ends the Target": {{0, fails(errMissing), end, ""}},
		"a server that lags is waited for, and then listed anew": append(connected,
			at{10, closes, retry, ""}, at{10, fails(errAhead), retry, ""}, at{14, fails(errAhead), retry, ""},
			at{15, fails(errAhead), relist, ""}),
	} {
		t.Run(name, func(t *testing.T) {
			c, start := &connection{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			for _, step := range story {
				got, events := step.do(c, start.Add(time.Duration(step.second*float64(time.Second))))
				var lines []string
				for _, event := range events {
					lines = append(lines, describe(event))
				}
				if emitted := strings.Join(lines, "; "); got != step.want || emitted != step.emitted {
					t.Fatalf("at %v, %s: got %v and %q, want %v and %q", step.second, step.name, got, emitted, step.want, step.emitted)
				}
			}
		})
	}
}

func TestATargetEndsOnce(t *testing.T) {
	c := &connection{}
	failure := &cache.SyncError{Err: errForbidden}
	if events := c.end(failure); len(events) != 1 || events[0].Type != cache.Ended {
		t.Errorf("got %v", events)
	}
	if events := c.end(failure); len(events) != 0 {
		t.Errorf("the second time: %v", events)
	}
}
