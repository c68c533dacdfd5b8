package faultproxy

import (
	"errors"
	"net/http"
)

// errTorn ends the copying of an answer; the client sees the answer break off.
var errTorn = errors.New("torn")

// Torn answers as the server does, and breaks off within the answer's body, when
// so many bytes of it have been passed on; a body that is shorter is whole.
func (p *HTTP) Torn(after int) http.Handler {
	return p.tearing(func(data []byte, passed int) int { return after - passed })
}

// TornInEvent answers a watch as the server does, passes on so many of its
// writes, and breaks off within the next. API servers write event by event.
func (p *HTTP) TornInEvent(writes int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left := writes
		p.tearing(func(data []byte, _ int) int {
			if left--; left < 0 {
				return max(len(data)-3, 0)
			}
			return len(data)
		}).ServeHTTP(w, r)
	})
}

// tearing passes on, of each write of the server, as many bytes as may be told;
// it breaks off where they are fewer than there are.
func (p *HTTP) tearing(may func(data []byte, passed int) int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.forward.ServeHTTP(&tearing{ResponseWriter: w, may: may}, r)
	})
}

type tearing struct {
	http.ResponseWriter
	may    func(data []byte, passed int) int
	passed int
}

func (t *tearing) Write(data []byte) (int, error) {
	n := max(min(t.may(data, t.passed), len(data)), 0)
	written, err := t.ResponseWriter.Write(data[:n])
	t.passed += written
	if err == nil && n < len(data) {
		t.Flush()
		err = errTorn
	}
	return written, err
}

// Flush is what a ReverseProxy asks for after each write.
func (t *tearing) Flush() {
	if flusher, ok := t.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
}

// Forward answers as the server does.
func (p *HTTP) Forward() http.Handler { return p.forward }
