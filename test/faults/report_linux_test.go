package faults

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// invariant is one of those that hold after every scenario.
type invariant string

const (
	cacheIsServer  invariant = "I1"
	risingVersions invariant = "I2"
	oneDeletion    invariant = "I3"
	replays        invariant = "I4"
	endsClean      invariant = "I5"
	boundedPace    invariant = "I6"
	saysFault      invariant = "I7"
)

var meanings = map[invariant]string{
	cacheIsServer:  "the cache equals the server",
	risingVersions: "resourceVersions only rise",
	oneDeletion:    "each deletion is told once",
	replays:        "the stream can be replayed",
	endsClean:      "it ends in time, and nothing is left",
	boundedPace:    "few requests",
	saysFault:      "stderr says what is wrong, and no more",
}

// result is what came of a scenario.
type result struct {
	name     string
	commands []command
	spare    []invariant
	recovery time.Duration
	never    bool

	mu     sync.Mutex
	broken map[invariant]bool
	said   []string
	rate   float64 // the most requests a second of an informer, while the fault lasted
	peak   int64   // the most resident memory of a command, in KiB
}

func newResult(s *scenario) *result {
	return &result{name: s.name, commands: s.which(), spare: s.spare, never: s.when == never, broken: map[invariant]bool{}}
}

func (r *result) broke(i invariant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken[i] = true
}

// measure takes the memory of a command that has ended.
func (r *result) measure(w *watcher) {
	usage, ok := w.Usage().SysUsage().(*syscall.Rusage)
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peak = max(r.peak, usage.Maxrss)
	if r.never {
		for _, notice := range w.Noticed() {
			r.saw(notice.Line)
		}
	}
}

func (r *result) request(n int, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rate = max(r.rate, float64(n)/took.Seconds())
}

func (r *result) sees(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.saw(line)
}

// volatile is what differs from run to run.
var volatile = regexp.MustCompile(`127\.0\.0\.1:\d+|faults-[a-z0-9]{5}\b|/\S*/Test\S*/`)

func (r *result) saw(line string) {
	line = volatile.ReplaceAllStringFunc(line, func(text string) string {
		switch {
		case strings.HasPrefix(text, "127"):
			return "HOST:PORT"
		case strings.HasPrefix(text, "/"):
			return "/home/me/"
		}
		return "dev"
	})
	if !slices.Contains(r.said, line) {
		r.said = append(r.said, line)
	}
}

func (r *result) row() string {
	said := "nothing"
	if len(r.said) > 0 {
		said = "`" + strings.Join(r.said[:min(len(r.said), 4)], "`<br>`") + "`"
	}
	var held []string
	for _, i := range []invariant{cacheIsServer, risingVersions, oneDeletion, replays, endsClean, boundedPace, saysFault} {
		switch {
		case r.broken[i]:
			held = append(held, "**not "+string(i)+"**")
		case r.never && i != endsClean && i != saysFault, slices.Contains(r.spare, i):
		default:
			held = append(held, string(i))
		}
	}
	recovery, rate := seconds(r.recovery), fmt.Sprintf("%.1f/s", r.rate)
	if r.never {
		recovery, rate = "it ends", "–"
	}
	commands := make([]string, len(r.commands))
	for n, command := range r.commands {
		commands[n] = string(command)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %d MB | %s |", r.name, strings.Join(commands, ", "),
		strings.ReplaceAll(said, "|", `\|`), recovery, rate, r.peak/1024, strings.Join(held, " "))
}

const (
	beginMarker = "<!-- scenarios: written by `make reliability` from a run -->"
	endMarker   = "<!-- scenarios: end -->"
)

// writeReport writes the table of results into a page, between its two markers.
func writeReport(path string, results []*result) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(page), beginMarker)
	_, after, closed := strings.Cut(rest, endMarker)
	if !found || !closed {
		return fmt.Errorf("%s has no table to write: it needs the lines %q and %q", path, beginMarker, endMarker)
	}
	slices.SortFunc(results, func(a, b *result) int { return strings.Compare(a.name, b.name) })
	table := "\n\n| scenario | commands | what stderr says | recovered after | requests of an informer | peak memory | held |\n|---|---|---|---|---|---|---|\n"
	for _, one := range results {
		table += one.row() + "\n"
	}
	return os.WriteFile(path, []byte(before+beginMarker+table+"\n"+endMarker+after), 0o644)
}
