package informer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// push puts events into a queue, written as `ADDED a 1`, `MODIFIED a 1 2`.
func push(q *Queue, lines ...string) {
	for _, line := range lines {
		words := strings.Fields(line)
		event := cache.Event{Type: cache.EventType(words[0]), Target: pods}
		if len(words) > 1 {
			event.Row = pod(words[1], words[len(words)-1])
		}
		if len(words) > 3 {
			event.Old = pod(words[1], words[2])
		}
		q.Push(event)
	}
}

func drain(t *testing.T, q *Queue) (lines []string) {
	for q.Len() > 0 {
		event, _, err := q.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, describe(event))
	}
	return lines
}

func TestAFullQueueMergesPerObject(t *testing.T) {
	for name, test := range map[string]struct {
		push []string
		want string
	}{
		"the newest state wins":                 {[]string{"MODIFIED a 1 2", "MODIFIED a 2 3", "MODIFIED a 3 4"}, "MODIFIED a 1->4"},
		"an added object that changed is added": {[]string{"ADDED a 1", "MODIFIED a 1 2"}, "ADDED a 2"},
		"added and deleted leaves nothing":      {[]string{"ADDED a 1", "MODIFIED a 1 2", "DELETED a 3"}, ""},
		"a delete of a told object is told":     {[]string{"MODIFIED a 1 2", "DELETED a 3"}, "DELETED a 3"},
		"a resync says less than a change":      {[]string{"MODIFIED a 1 2", "RESYNC a 2"}, "MODIFIED a 1->2"},
		"a change says more than a resync":      {[]string{"RESYNC a 1", "MODIFIED a 1 2"}, "MODIFIED a 1->2"},
		"a delete says more than a resync":      {[]string{"RESYNC a 1", "DELETED a 2"}, "DELETED a 2"},
		"resyncs are one":                       {[]string{"RESYNC a 1", "RESYNC a 1"}, "RESYNC a 1"},
		"an object that came back is told twice": {[]string{"DELETED a 1", "ADDED a 2", "MODIFIED a 2 3"},
			"DELETED a 1, ADDED a 3"},
		"came back and went again": {[]string{"DELETED a 1", "ADDED a 2", "DELETED a 3"}, "DELETED a 1"},
		"another uid is another object": {[]string{"MODIFIED a#1 1 2", "DELETED a#1 3", "ADDED a#2 4", "MODIFIED a#2 4 5"},
			"DELETED a#1 3, ADDED a#2 5"},
		"other objects wait on their own": {[]string{"ADDED a 1", "ADDED b 1", "MODIFIED a 1 2"}, "ADDED a 2, ADDED b 1"},
		"a synced mark is never merged":   {[]string{"ADDED a 1", "SYNCED", "SYNCED", "MODIFIED a 1 2"}, "ADDED a 2, SYNCED, SYNCED"},
	} {
		t.Run(name, func(t *testing.T) {
			q := NewQueue(1)
			push(q, test.push...)
			if got := strings.Join(drain(t, q), ", "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAQueueThatIsNotFullKeepsEveryEvent(t *testing.T) {
	q := NewQueue(10)
	push(q, "ADDED a 1", "MODIFIED a 1 2", "DELETED a 3")
	if got := strings.Join(drain(t, q), ", "); got != "ADDED a 1, MODIFIED a 1->2, DELETED a 3" {
		t.Errorf("got %q", got)
	}
	if n := q.Merged(); n != 0 {
		t.Errorf("%d merges", n)
	}
}

func TestChurnOfManyShortLivedObjectsNeedsNoMemory(t *testing.T) {
	q := NewQueue(1)
	push(q, "ADDED first 1")
	for n := range 1000 {
		push(q, fmt.Sprintf("ADDED x%d 1", n), fmt.Sprintf("DELETED x%d 2", n))
	}
	if q.waiting.Len() != 1 || len(q.last) != 1 {
		t.Errorf("%d events and %d keys are kept", q.waiting.Len(), len(q.last))
	}
	if n := q.Merged(); n != 1000 {
		t.Errorf("%d merges told, want 1000", n)
	}
}

func TestAWaitingReaderWakesForAnEventAndForTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(0)
		got := make(chan string, 10)
		go func() {
			defer close(got)
			for {
				event, ok, err := q.Next(t.Context())
				if !ok || err != nil {
					return
				}
				got <- describe(event)
			}
		}()
		synctest.Wait()
		push(q, "ADDED a 1")
		synctest.Wait()
		push(q, "DELETED a 2")
		q.Close()
		push(q, "ADDED late 1")
		var lines []string
		for line := range got {
			lines = append(lines, line)
		}
		if strings.Join(lines, ", ") != "ADDED a 1, DELETED a 2" {
			t.Errorf("got %q", lines)
		}
	})
}

func TestAWaitingReaderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := NewQueue(0).Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
