package cores

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// played runs a limiter while a process uses such parts of a core, one after the other,
// each for a period. It returns in which periods one core was used, from the next on.
func played(t *testing.T, shares ...float64) (one []bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var cpu atomic.Int64
		var now atomic.Bool
		l := limiter{used: func() (time.Duration, bool) { return time.Duration(cpu.Load()), true }, set: now.Store}
		ctx, cancel := context.WithCancel(t.Context())
		go l.run(ctx)
		time.Sleep(period / 2)
		for _, share := range shares {
			cpu.Add(int64(share * float64(period)))
			time.Sleep(period)
			one = append(one, now.Load())
		}
		cancel()
	})
	return one
}

func TestOneCoreIsUsedWhileItIsEnough(t *testing.T) {
	for _, c := range []struct {
		name   string
		shares []float64
		want   []bool
	}{
		{"a list, and then a stream", []float64{1.8, 1.9, 0.4, 0.4, 0.4, 0.4}, []bool{false, false, false, false, true, true}},
		{"a stream with a burst", []float64{0.4, 0.4, 0.6, 0.4, 0.4, 0.4}, []bool{false, false, false, false, false, true}},
		{"more events", []float64{0.1, 0.1, 0.1, 0.7, 0.7, 0.7}, []bool{false, false, true, true, true, true}},
		{"too many events", []float64{0, 0, 0, 0.9, 0.9, 0.1, 0.1, 0.1}, []bool{false, false, true, false, false, false, false, true}},
	} {
		if got := played(t, c.shares...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWhereTheUseIsNotKnownAllCoresAreUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limiter{used: func() (time.Duration, bool) { return 0, false }, set: func(bool) { t.Error("limited") }}
		l.run(t.Context()) // which ends
	})
}
