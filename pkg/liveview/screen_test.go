package liveview

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// grid is a screen without a terminal.
type grid struct {
	width, height int
	lines         [][]string
	styles        []Style
}

func (g *grid) Size() (width, height int) { return g.width, g.height }
func (g *grid) Cursor(int, int)           {}

func (g *grid) Put(x, y int, text string, style Style) {
	if y >= g.height {
		panic(fmt.Sprintf("%q in line %d of %d", text, y, g.height))
	}
	for text != "" {
		one := clipped(text, 1)
		if one == "" {
			one = clipped(text, 2)
		}
		text = strings.TrimPrefix(text, one)
		if x >= g.width {
			panic(fmt.Sprintf("%q in column %d of %d", one, x, g.width))
		}
		g.lines[y][x] = one
		for n := 1; n < width(one); n++ {
			g.lines[y][x+n] = ""
		}
		x += width(one)
	}
	g.styles[y] = style
}

// script is somebody who looks at a view.
type script struct {
	*testing.T
	*Model
	now    time.Time
	height int
	width  int
}

var (
	pods  = cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespaced: true}
	nodes = cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Node"}}
	start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// row is an object with a status and an age in seconds.
func row(name, status string, age int) *cache.Row {
	r := &cache.Row{Cells: []any{name, status}}
	r.Name, r.UID = name, types.UID(name)
	r.CreationTimestamp = metav1.NewTime(start.Add(-time.Duration(age) * time.Second))
	return r
}

func options(targets ...cache.Target) Options {
	return Options{
		Targets: targets,
		Columns: func(t cache.Target, _ *cache.Row) []Column {
			return []Column{{Name: strings.ToUpper(t.Kind.Kind)}, {Name: "STATUS"}, {Name: "AGE", IsAge: true}}
		},
		Cells: func(_ cache.Target, r *cache.Row, now time.Time) []string {
			return []string{r.Cells[0].(string), r.Cells[1].(string), fmt.Sprintf("%ds", int(now.Sub(r.CreationTimestamp.Time).Seconds()))}
		},
		IsChange: func(_ cache.Target, old, now *cache.Row) bool { return old.Cells[1] != now.Cells[1] },
		Changes: func(_ cache.Target, old, now *cache.Row) []string {
			if old.Cells[1] == now.Cells[1] {
				return nil
			}
			return []string{fmt.Sprintf("    ~ status: %s → %s", old.Cells[1], now.Cells[1])}
		},
		YAML: func(r *cache.Row) (string, error) {
			return "name: " + r.Name + "\nstatus: " + r.Cells[1].(string) + "\n", nil
		},
		Size:    func(*cache.Row) int { return 100 },
		Headers: true, Noun: "object", Nouns: "objects", Nothing: "No resources found", Opened: start,
	}
}

func watch(t *testing.T, o Options) *script {
	return &script{T: t, Model: New(o), now: start, height: 9, width: 60}
}

func (s *script) add(target cache.Target, r *cache.Row) {
	s.Apply(cache.Event{Type: cache.Added, Target: target, Row: r, Initial: true, Time: s.now})
}

func (s *script) event(event cache.EventType, target cache.Target, old, now *cache.Row) {
	s.Apply(cache.Event{Type: event, Target: target, Old: old, Row: now, Time: s.now})
}

func (s *script) keys(keys ...Key) (last Action) {
	for _, key := range keys {
		last = s.Press(key, s.now)
	}
	return last
}

func (s *script) draw() *grid {
	g := &grid{width: s.width, height: s.height, lines: make([][]string, s.height), styles: make([]Style, s.height)}
	for y := range g.lines {
		g.lines[y] = slices.Repeat([]string{" "}, s.width)
	}
	s.Tick(s.now)
	s.Draw(g, s.now)
	return g
}

// body is what is above the lines of the status.
func (s *script) body() []string {
	var lines []string
	for _, line := range s.draw().lines[:s.height-2] {
		lines = append(lines, strings.TrimRight(strings.Join(line, ""), " "))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// shows checks what is above the status.
func (s *script) shows(want ...string) {
	s.Helper()
	if got := s.body(); !slices.Equal(got, want) {
		s.Errorf("on the screen:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// says checks the two lines of the status.
func (s *script) says(summary, news string) {
	s.Helper()
	g := s.draw()
	got := strings.TrimSpace(strings.Join(g.lines[s.height-2], ""))
	if got != summary {
		s.Errorf("the status is %q, want %q", got, summary)
	}
	if got := strings.TrimSpace(strings.Join(g.lines[s.height-1], "")); news != "" && got != news {
		s.Errorf("the last line is %q, want %q", got, news)
	}
}
