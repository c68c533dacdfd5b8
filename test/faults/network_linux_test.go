package faults

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// network are the faults between the plugin and whatever answers it.
func network() []scenario {
	return []scenario{
		{
			name: "many writes while the command starts", when: starting, calm: true,
			commands: all(),
			fault: func(l *lab) {
				var writers sync.WaitGroup
				for range 4 {
					writers.Go(func() {
						for range times(200, 2500) {
							// Two may have picked one object: the second finds it gone.
							_ = l.writer.Random(l.Context(), l.types...)
						}
					})
				}
				writers.Wait()
			},
		},
		{
			name: "connections are refused for ever", when: never, commands: all(),
			before: func(l *lab) { l.each(func(c chain) { c.front.Refuse() }) },
			ends: map[command]ending{
				tail: {1, refused}, handler: {1, refused}, wait: {1, refused}, query: {1, refused},
			},
		},
		{
			name: "connections are refused after the first answer, and accepted later", when: starting, commands: all(),
			fault: func(l *lab) {
				waitFor(l, func(c chain) bool { return c.gateway.Count(faultproxy.List("")) > 0 })
				down(l)
				l.stay(lasts(4*time.Second, 20*time.Second))
				up(l)
			},
			says: append(may(waiting, back), sight{line: lostAll, optional: true}),
		},
		{
			name: "connections are reset, and accepted again at once", commands: all(),
			fault: func(l *lab) {
				for range times(3, 20) {
					l.each(func(c chain) { c.front.Cut() })
					l.stay(time.Second)
				}
			},
			says: blip(),
		},
		{
			name: "connections are reset and refused", commands: all(),
			fault: func(l *lab) {
				down(l)
				l.stay(lasts(8*time.Second, 60*time.Second))
				up(l)
			},
			says: outage(),
		},
		{
			name: "objects are deleted and created again while connections are refused", commands: []command{tail, handler, query}, calm: true,
			fault: func(l *lab) {
				down(l)
				for _, one := range l.types {
					l.must(l.writer.Create(l.Context(), one, "fleeting", nil))
					l.must(l.writer.Delete(l.Context(), one, "fleeting"))
					l.must(l.writer.Replace(l.Context(), one, replaced))
				}
				l.stay(3 * time.Second)
				up(l)
			},
			before: func(l *lab) {
				for _, one := range l.types {
					l.must(l.writer.Create(l.Context(), one, replaced, nil))
				}
			},
			says: outage(),
		},
		{
			name: "connections are closed that are idle for two seconds", commands: all(), calm: true,
			fault: func(l *lab) {
				ctx, cancel := context.WithCancel(l.Context())
				defer cancel()
				l.each(func(c chain) { c.front.CloseIdle(ctx, 2*time.Second) })
				for range times(3, 20) {
					l.stay(4 * time.Second)
					l.must(l.writer.Random(l.Context(), l.types...))
				}
			},
			says: blip(),
		},
		{
			name: "connections are stranded: old flows are dead, new ones work", commands: all(),
			fault: func(l *lab) {
				l.each(func(c chain) { c.front.Strand() })
				l.stay(55 * time.Second)
			},
			// It is noticed by a ping that is not answered; the gap is said then.
			says: []sight{{line: lostAll, optional: true, within: time.Minute}, {line: backAfter, after: true}},
		},
		{
			name: "a black hole swallows everything while objects are deleted", commands: all(),
			fault: func(l *lab) {
				l.each(func(c chain) { c.front.Freeze() })
				l.stay(lasts(65*time.Second, 90*time.Second))
				up(l)
			},
			says: []sight{during(lostAll, 70*time.Second), later(backAfter)},
		},
		{
			name: "one kilobyte passes in a second",
			fault: func(l *lab) {
				l.each(func(c chain) { c.front.Slow(1000) })
				l.stay(lasts(8*time.Second, 60*time.Second))
				up(l)
			},
			says: blip(),
		},
		{
			name: "first lists of one type are reset at a random byte, again and again", when: starting, broken: &configMaps, calm: true,
			fault: func(l *lab) {
				resets := times(5, 20)
				l.answer(faultproxy.List("configmaps"), func(c chain) (int, http.Handler) { return resets, tornAnywhere(l, c, resets) })
				waitFor(l, func(c chain) bool { return c.gateway.Count(faultproxy.Watch("configmaps")) > 0 })
			},
			says: may(waiting, lostOne, back),
		},
		{
			name: "watches are cut within an event", commands: []command{tail, handler, query}, broken: &configMaps,
			fault: func(l *lab) {
				heal := l.answer(faultproxy.Watch("configmaps"), func(c chain) (int, http.Handler) {
					return faultproxy.Always, c.gateway.TornInEvent(1)
				})
				l.each(func(c chain) { c.gateway.Abort(faultproxy.Watch("configmaps")) })
				l.stay(lasts(8*time.Second, 60*time.Second))
				heal()
			},
			says: may(lostOne, back),
		},
		{
			name: "watches are closed by the server every second", commands: all(), broken: &configMaps,
			fault: func(l *lab) {
				for range times(6, 60) {
					l.each(func(c chain) { c.gateway.End(faultproxy.Watch("configmaps")) })
					l.stay(time.Second)
				}
			},
			// On a busy machine two closes may be a gap that is worth a word.
			says: may(back),
		},
		{
			name: "streaming lists lose the bookmark that ends them", when: starting, env: []string{"KUBE_FEATURE_WatchListClient=true"},
			fault: func(l *lab) { l.each(func(c chain) { c.gateway.DropClosingBookmark(true) }) },
		},
	}
}

// tornAnywhere breaks each of some answers off at another byte.
func tornAnywhere(l *lab, c chain, answers int) http.Handler {
	var after []int
	for range answers {
		after = append(after, l.random.IntN(300))
	}
	var answered atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.gateway.Torn(after[answered.Add(1)-1]).ServeHTTP(w, r)
	})
}

const replaced = "replaced"

// down is what a server looks like that has crashed.
func down(l *lab) {
	l.each(func(c chain) {
		c.front.Refuse()
		c.front.Cut()
	})
}

// up ends what is wrong with the network.
func up(l *lab) {
	l.Helper()
	l.each(func(c chain) { l.must(c.front.Resume()) })
}

// waitFor waits until something is so on all chains.
func waitFor(l *lab, so func(chain) bool) {
	l.Helper()
	l.must(eventually(l.Context(), patience, func() error {
		missing := 0
		l.each(func(c chain) {
			if !so(c) {
				missing++
			}
		})
		if missing > 0 {
			return errNotYet
		}
		return nil
	}))
}

var errNotYet = errors.New("it has not come to it")
