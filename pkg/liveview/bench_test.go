package liveview

import (
	"fmt"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// BenchmarkFrame is one frame of 10 000 rows, of which 200 have changed since the last:
// a thousand changes a second.
func BenchmarkFrame(b *testing.B) {
	s := &script{Model: New(options(pods)), now: start, width: 160, height: 50}
	rows := make([]*cache.Row, 10_000)
	for n := range rows {
		rows[n] = row(fmt.Sprintf("p%05d", n), "Running", 0)
		s.add(pods, rows[n])
	}
	s.keys(PageDown, "s", "s") // by status, which is what changes
	s.draw()
	b.ReportAllocs()
	changed := 0
	for b.Loop() {
		for range 200 {
			n := changed * 7919 % len(rows)
			now := row(rows[n].Name, fmt.Sprint("Status", changed%10), 0)
			s.event(cache.Modified, pods, rows[n], now)
			rows[n] = now
			changed++
		}
		s.now = s.now.Add(200 * time.Millisecond)
		s.draw()
	}
}
