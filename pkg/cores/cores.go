// Package cores has a process use a single core for as long as that is enough.
//
// An event that comes alone goes from the connection through half a dozen goroutines, most
// of them client-go's, to the output. With several cores, Go wakes a thread on another one
// for each of them, which takes longer than what the goroutine has to do. A list has
// use for all cores, a stream mostly has not.
package cores

import (
	"context"
	"os"
	"runtime"
	"time"
)

const (
	// period is how long the use is measured before it is judged.
	period = time.Second
	// little is the part of a core below which one is enough, and much that above which all
	// are needed at once.
	little, much = 0.5, 0.8
	// lasting is for how many periods it has to be little.
	lasting = 3
)

// Limit lets Go use one core while the process needs little of it, and all of them else,
// until ctx ends. Who has set GOMAXPROCS has decided that already.
func Limit(ctx context.Context) {
	if os.Getenv("GOMAXPROCS") != "" || runtime.GOMAXPROCS(0) == 1 {
		return
	}
	l := limiter{used: used, set: func(one bool) {
		if one {
			runtime.GOMAXPROCS(1)
		} else {
			runtime.SetDefaultGOMAXPROCS()
		}
	}}
	l.run(ctx)
}

// limiter decides how many cores are used.
type limiter struct {
	// used is the CPU time that the process has used; ok is false where that is not known.
	used func() (used time.Duration, ok bool)
	// set has one core used, or all.
	set func(one bool)
	// one says that one is, and calm for how many periods it would have been enough.
	one  bool
	calm int
}

func (l *limiter) run(ctx context.Context) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	last, ok := l.used()
	for since := time.Now(); ok; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var now time.Duration
		now, ok = l.used()
		if one := l.judge((now - last).Seconds() / time.Since(since).Seconds()); one != l.one {
			l.one = one
			l.set(one)
		}
		last, since = now, time.Now()
	}
}

// judge says whether one core is enough after a period in which so much of one was used.
func (l *limiter) judge(share float64) bool {
	if share < little {
		l.calm++
	} else {
		l.calm = 0
	}
	return l.calm >= lasting || l.one && share <= much
}
