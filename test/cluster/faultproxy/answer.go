package faultproxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Always is the number of times of an answer that is never used up.
const Always = -1

// answer is what some requests are answered with, in the server's place.
type answer struct {
	match   Match
	left    int // how many times more; Always is without end
	handler http.Handler
}

type answers struct {
	mu  sync.Mutex
	all []*answer
}

// Answer has the next requests that match, times of them or Always, answered by
// the handler: Code, Status, or one of the test's own, for example one that
// never answers (it has to end with the request's context). Of several answers
// that match, the one given last counts. The function that is returned takes
// the answer back.
func (p *HTTP) Answer(match Match, times int, handler http.Handler) (remove func()) {
	return p.answers.add(&answer{match: match, left: times, handler: handler})
}

func (a *answers) add(one *answer) (remove func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, one)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.all = slices.DeleteFunc(a.all, func(other *answer) bool { return other == one })
	}
}

// take uses up one time of the answer for a request. It returns nil where the
// server shall answer.
func (a *answers) take(request Request) http.Handler {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range slices.Backward(a.all) {
		if one.left == 0 || !one.match(request) {
			continue
		}
		if one.left > 0 {
			one.left--
		}
		return one.handler
	}
	return nil
}

// Code answers with a status code and a body that no API server would send, as
// a load balancer does.
func Code(code int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		_, _ = w.Write([]byte("<html>" + http.StatusText(code) + "</html>")) // fails when the client has gone
	})
}

// Status answers as an API server does that refuses a request: with the code
// and, where it asks the client to wait, the Retry-After of the Status.
func Status(status metav1.Status) http.Handler {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
		}
		w.WriteHeader(int(status.Code))
		_ = json.NewEncoder(w).Encode(status) // fails when the client has gone
	})
}
