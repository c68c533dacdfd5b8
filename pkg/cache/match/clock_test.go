package match_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// born is when the object of these tests was created, and since when it is not Ready.
var born = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func notReadySince(t *testing.T) *cache.Row {
	t.Helper()
	return rowOf(t, `{apiVersion: v1, kind: Pod, metadata: {name: web, creationTimestamp: "2026-01-01T12:00:00Z"},
		status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-01-01T12:00:00Z"}]}}`)
}

const longNotReady = `object.status.conditions.exists(c, c.type == "Ready" && c.status != "True" && now - timestamp(c.lastTransitionTime) > duration("5m"))`

// Whether an expression holds, and when that may change: each is asked at a time
// after the object's creation, and then at the moments that it names itself.
func TestAnExpressionKnowsWhenTimeAloneChangesItsAnswer(t *testing.T) {
	type answer struct {
		at    time.Duration
		holds bool
	}
	for _, test := range []struct {
		text string
		want []answer // the last names no moment
	}{
		{`object.metadata.name == "web"`, []answer{{0, true}}},
		{longNotReady, []answer{{0, false}, {5 * time.Minute, false}, {5*time.Minute + 1, true}}},
		{`age(object) < duration("1h")`, []answer{{time.Minute, true}, {time.Hour, false}, {time.Hour + 1, false}}},
		{`duration("1h") >= age(object)`, []answer{{time.Minute, true}, {time.Hour, true}, {time.Hour + 1, false}}},
		{`timestamp(object.metadata.creationTimestamp) + duration("10s") <= now`, []answer{{0, false}, {10 * time.Second, true}, {10*time.Second + 1, true}}},
		{`now > timestamp("2026-01-01T12:00:30Z") && now < timestamp("2026-01-01T12:01:00Z")`,
			[]answer{{0, false}, {30 * time.Second, false}, {30*time.Second + 1, true}, {time.Minute, false}, {time.Minute + 1, false}}},
		{`object.metadata.name == "db" && age(object) > duration("1s")`, []answer{{0, false}}},
		{`now == timestamp("2026-01-01T12:00:30Z")`, []answer{{0, false}, {30 * time.Second, true}, {30*time.Second + 1, false}}},
		{`age(object) - age(object) == duration("0s")`, []answer{{time.Minute, true}}},
		// They meet between two nanoseconds.
		{`age(object) + age(object) > duration("1ns")`, []answer{{0, false}, {1, true}}},
		{`[1].exists(now, now > 0)`, []answer{{0, true}}},
		{`age(object) > duration(object.metadata.name)`, []answer{{0, false}}},
	} {
		t.Run(test.text, func(t *testing.T) {
			where, err := match.DefaultCostLimit.Compile(match.ObjectOnly, test.text)
			if err != nil {
				t.Fatal(err)
			}
			next := born.Add(test.want[0].at)
			for _, want := range test.want {
				at := born.Add(want.at)
				if !next.Equal(at) {
					t.Fatalf("the moment is %v, want %v", next.Sub(born), want.at)
				}
				var holds bool
				if holds, next, err = where.Eval(t.Context(), at, notReadySince(t), nil); err != nil || holds != want.holds {
					t.Fatalf("after %v: got %v, %v", want.at, holds, err)
				}
			}
			if !next.IsZero() {
				t.Errorf("a moment is left: %v", next.Sub(born))
			}
		})
	}
}

func TestAnExpressionThatDoesMoreWithTheClockIsAskedEachSecond(t *testing.T) {
	for _, text := range []string{`now.getMinutes() == 3`, `string(now).startsWith("2026")`, `(now.getHours() > 3 ? age(object) : duration("1s")) > duration("9h")`} {
		where, err := match.DefaultCostLimit.Compile(match.ObjectOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		_, next, err := where.Eval(t.Context(), born.Add(time.Second/3), notReadySince(t), nil)
		if err != nil || !next.Equal(born.Add(time.Second)) {
			t.Errorf("%s: got %v, %v", text, next.Sub(born), err)
		}
	}
}

func TestAWaitIsMetAsTimePasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		condition, err := match.DefaultCostLimit.ParseFor([]string{"cel=" + `age(object) > duration("5m")`}, false)
		if err != nil {
			t.Fatal(err)
		}
		tally := match.NewTally(condition, match.All(), nil, time.Now)
		row := rowOf(t, fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: web, creationTimestamp: %q}}", time.Now().Format(time.RFC3339)))
		if err := tally.Upsert(t.Context(), row, nil); err != nil {
			t.Fatal(err)
		}
		for turns := 0; !tally.Met(); turns++ {
			if tally.Next().IsZero() || turns > 3 {
				t.Fatalf("after %d turns: next %v", turns, tally.Next())
			}
			time.Sleep(time.Until(tally.Next()))
			if err := tally.Pass(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if passed := time.Since(row.CreationTimestamp.Time); passed < 5*time.Minute {
			t.Errorf("met after %v", passed)
		}
	})
}
