package faults

import (
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// wrongAnswers are what servers, and gateways in front of them, say instead of
// an answer.
func wrongAnswers() map[string]http.Handler {
	return map[string]http.Handler{
		"410":                     faultproxy.Status(apierrors.NewResourceExpired("too old resource version: 1 (2)").ErrStatus),
		"429":                     faultproxy.Status(apierrors.NewTooManyRequests("too many requests, please try again later", 0).ErrStatus),
		"429 with Retry-After":    faultproxy.Status(apierrors.NewTooManyRequests("too many requests, please try again later", 2).ErrStatus),
		"500":                     faultproxy.Status(apierrors.NewInternalError(fmt.Errorf("etcdserver: leader changed")).ErrStatus),
		"503":                     faultproxy.Status(apierrors.NewServiceUnavailable("the server is currently unable to handle the request").ErrStatus),
		"502 in HTML":             faultproxy.Code(http.StatusBadGateway),
		"404 in HTML":             faultproxy.Code(http.StatusNotFound),
		"404 in plain text":       http.HandlerFunc(http.NotFound),
		"200 with a page in HTML": faultproxy.Code(http.StatusOK),
	}
}

// answers are the faults of those who answer in the server's place: for one type,
// on its lists or watches, in a burst; and on discovery, while the command starts.
func answers() []scenario {
	var scenarios []scenario
	for name, wrong := range wrongAnswers() {
		says := outageOfOne()
		if name == "410" {
			// It is answered by a list, which is no outage until lists fail too.
			says = append(may(back), sight{line: lostOne, within: soon + lasts(3*time.Second, 15*time.Second)}, later(backAfter))
		}
		scenarios = append(scenarios,
			scenario{
				name: "watches of one type, and then lists too, are answered " + name, commands: forThose(name), broken: &configMaps,
				fault: func(l *lab) {
					always := func(chain) (int, http.Handler) { return faultproxy.Always, wrong }
					healWatch := l.answer(faultproxy.Watch("configmaps"), always)
					l.each(func(c chain) { c.gateway.End(faultproxy.Watch("configmaps")) })
					l.stay(lasts(3*time.Second, 15*time.Second))
					healList := l.answer(faultproxy.List("configmaps"), always)
					l.stay(lasts(5*time.Second, 15*time.Second))
					healWatch()
					healList()
				},
				says: says,
			},
			scenario{
				name: "first lists of one type are answered " + name, when: starting, broken: &configMaps, calm: true,
				fault: func(l *lab) {
					heal := l.answer(faultproxy.List("configmaps"), func(chain) (int, http.Handler) { return faultproxy.Always, wrong })
					waitFor(l, func(c chain) bool { return c.gateway.Count(faultproxy.List("configmaps")) > 1 })
					l.stay(2 * time.Second)
					heal()
				},
				says: may(waiting, lostOne, back),
			},
			scenario{
				name: "discovery is answered " + name + " once", when: starting,
				fault: func(l *lab) {
					l.answer(faultproxy.Discovery, func(chain) (int, http.Handler) { return 1, wrong })
				},
				says: may(waiting),
			},
		)
	}
	return append(scenarios, everything404())
}

// everything404 is what a gateway says that has lost its routes: the types are
// there none the less.
func everything404() scenario {
	return scenario{
		name: "everything is answered 404 in HTML", commands: all(),
		fault: func(l *lab) {
			heal := l.answer(faultproxy.Any, func(chain) (int, http.Handler) {
				return faultproxy.Always, faultproxy.Code(http.StatusNotFound)
			})
			l.each(func(c chain) { c.gateway.End(faultproxy.Watch("")) })
			l.stay(lasts(8*time.Second, 60*time.Second))
			heal()
		},
		says: outage(),
	}
}

// forThose are the commands that a wrong answer can matter to beside tail: one
// that might be taken for the end of objects, to all.
func forThose(name string) []command {
	if name == "404 in HTML" || name == "503" {
		return all()
	}
	return []command{tail}
}
