package faults

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

// readers are the faults of who reads the output, and of the disk.
func readers() []scenario {
	full := `mount -t tmpfs -o size=4k full "$TMPDIR" && head -c 4096 /dev/zero >"$TMPDIR/zeros"; exec "$0" "$@"`
	return []scenario{
		{
			name: "nobody reads stdout while much changes", piped: true, calm: true,
			before: func(l *lab) { l.args = []string{"--max-pending", "100"} },
			fault: func(l *lab) {
				for _, w := range l.watchers {
					w.out.hold()
				}
				var writers sync.WaitGroup
				for range 4 {
					writers.Go(func() {
						for begin := time.Now(); time.Since(begin) < lasts(8*time.Second, 60*time.Second); {
							// Two may have picked one object: the second finds it gone.
							_ = l.writer.Random(l.Context(), l.types...)
						}
					})
				}
				writers.Wait()
				for _, w := range l.watchers {
					w.out.release()
				}
			},
			says: may(merged),
		},
		{
			name: "the reader of stdout has gone", piped: true,
			fault: func(l *lab) {
				waitFor(l, func(c chain) bool { return c.gateway.Count(faultproxy.Watch("")) > 2 })
				for _, w := range l.watchers {
					w.out.close()
				}
			},
			ends: map[command]ending{tail: {code: 141}},
		},
		{
			name: "the disk is full under --cache-dir and TMPDIR", commands: []command{tail, handler}, when: starting,
			wrap: []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", full},
			before: func(l *lab) {
				l.args = []string{"--cache-dir", l.dir + "/full/cache"}
				l.must(os.Mkdir(l.dir+"/full", 0o700))
				l.env = []string{"TMPDIR=" + l.dir + "/full"}
			},
			fault: func(l *lab) { l.stay(3 * time.Second) },
		},
		{
			name: "a resync every second over many objects, which are asked for meanwhile", commands: []command{tail, query}, calm: true,
			before: func(l *lab) {
				l.args = []string{"--resync", "1s"}
				l.prepare()
				var writers sync.WaitGroup
				for range 8 {
					writers.Go(func() {
						for range times(200, 2500) {
							l.must(l.writer.New(l.Context(), configMaps))
						}
					})
				}
				writers.Wait()
			},
			fault: func(l *lab) {
				for begin := time.Now(); time.Since(begin) < lasts(5*time.Second, 30*time.Second); {
					for _, w := range l.watchers {
						if w.command == query {
							if _, err := w.ask(); err != nil {
								l.broke(cacheIsServer, w, "%v", err)
							}
						}
					}
					l.must(l.writer.Random(l.Context(), l.types...))
				}
			},
		},
	}
}

// reader reads what a program writes into a pipe. While it is held, it reads what
// it has asked for already and no more.
type reader struct {
	pipe *os.File
	gate sync.Mutex // held while nobody is to read

	mu   sync.Mutex
	text bytes.Buffer
}

// read reads until the program has ended, or the pipe is closed.
func (r *reader) read() {
	buf := make([]byte, 4096)
	for {
		r.gate.Lock()   // not while it waits for something to read: hold does not
		r.gate.Unlock() //nolint:staticcheck // the section is empty on purpose
		n, err := r.pipe.Read(buf)
		r.mu.Lock()
		r.text.Write(buf[:n])
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (r *reader) hold()    { r.gate.Lock() }
func (r *reader) release() { r.gate.Unlock() }
func (r *reader) close()   { _ = r.pipe.Close() }
func (r *reader) whole() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// lines are the whole lines on stdout so far.
func (w *watcher) lines() []string {
	if w.out == nil {
		return w.Lines()
	}
	text := w.out.whole()
	end := strings.LastIndexByte(text, '\n')
	if end < 0 {
		return nil
	}
	return strings.Split(text[:end], "\n")
}
