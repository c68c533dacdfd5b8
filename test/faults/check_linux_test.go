package faults

import (
	"fmt"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// check checks, after the commands' ends, what needs no command any more.
func (l *lab) check() {
	l.Helper()
	for _, w := range l.watchers {
		if _, ends := l.scenario.ends[w.command]; ends {
			continue
		}
		l.result.measure(w)
		if w.command == tail || w.command == handler {
			w.checkStream()
		}
		w.checkPace()
		w.checkNotices()
	}
}

// checkStream checks what a stream has told.
func (w *watcher) checkStream() {
	w.lab.Helper()
	w.stream.Read(w.lines())
	for _, c := range []struct {
		invariant invariant
		wrong     []string
	}{
		{risingVersions, w.stream.Falling()},
		{oneDeletion, w.stream.Deletions(w.lab.final, w.lab.kinds()...)},
		{replays, w.stream.Illogical()},
		{saysFault, w.stream.Unreadable()},
	} {
		if len(c.wrong) > 0 && w.lab.counts(c.invariant) {
			w.lab.broke(c.invariant, w, "%q", c.wrong)
		}
	}
}

const (
	// pace is how many requests a second an informer may make while a fault lasts,
	// and burst how many more there may be at its beginning, when nothing is known
	// of it yet.
	pace  = 2
	burst = 4
)

// checkPace counts requests at the gateway.
func (w *watcher) checkPace() {
	w.lab.Helper()
	took := max(w.lab.to.Sub(w.lab.from), 3*time.Second)
	limit := int(took.Seconds()*pace) + burst
	for _, one := range w.lab.types {
		resource := one.Resource.Resource
		n := w.requests(func(r faultproxy.Request) bool { return r.IsResourceRequest && r.Resource == resource })
		if n > limit && w.lab.counts(boundedPace) {
			w.lab.broke(boundedPace, w, "%d requests for %s in %v", n, resource, took.Round(time.Second))
		}
		w.lab.result.request(n, took)
	}
}

// requests counts those that match and came during the fault.
func (w *watcher) requests(match faultproxy.Match) int {
	return w.chain.gateway.Count(func(r faultproxy.Request) bool {
		return match(r) && r.At.After(w.lab.from) && r.At.Before(w.lab.to)
	})
}

// checkNotices compares stderr with what it has to say.
func (w *watcher) checkNotices() {
	w.lab.Helper()
	noticed := w.Noticed()
	for _, sight := range w.lab.scenario.says {
		begin, within := w.lab.from, sight.within
		if sight.after {
			begin = w.lab.to
		}
		if within == 0 {
			within = soon
		}
		found := sight.optional
		for _, notice := range noticed {
			if sight.line.MatchString(notice.Line) && notice.At.Before(begin.Add(within)) {
				found = true
			}
		}
		if !found {
			w.lab.broke(saysFault, w, "it does not say %v within %v", sight.line, within)
		}
	}
	for _, notice := range noticed {
		if !w.lab.expects(notice.Line) {
			w.lab.broke(saysFault, w, "it says %q", notice.Line)
		}
	}
	if w.command == tail {
		for _, notice := range noticed {
			w.lab.result.sees(notice.Line)
		}
	}
}

func (l *lab) expects(line string) bool {
	for _, sight := range l.scenario.says {
		if sight.line.MatchString(line) {
			return true
		}
	}
	return false
}

// counts says whether an invariant can hold in this scenario.
func (l *lab) counts(i invariant) bool {
	for _, spared := range l.scenario.spare {
		if spared == i {
			return false
		}
	}
	return true
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
