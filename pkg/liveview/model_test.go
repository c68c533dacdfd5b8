package liveview

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestRowsAreKeptInOrderAndMarkedForAMoment(t *testing.T) {
	s := watch(t, options(pods))
	s.shows("No resources found")
	s.add(pods, row("b", "Running", 10))
	s.add(pods, row("d", "Running", 10))
	s.shows("   POD   STATUS    AGE", ">  b     Running   10s", "   d     Running   10s")
	s.says("2 objects", "")

	s.now = s.now.Add(time.Second)
	s.event(cache.Added, pods, nil, row("c", "Pending", 0))
	s.event(cache.Modified, pods, row("d", "Running", 10), row("d", "Failed", 10))
	s.shows("   POD   STATUS    AGE", ">  b     Running   11s", " + c     Pending   1s", " ~ d     Failed    11s")

	s.now = s.now.Add(time.Second)
	s.event(cache.Deleted, pods, nil, row("b", "Running", 10))
	s.shows("   POD   STATUS    AGE", ">- b     Running   12s", " + c     Pending   2s", " ~ d     Failed    12s")
	s.says("2 objects", "")

	s.now = s.now.Add(2 * time.Second)
	s.shows("   POD   STATUS    AGE", ">- b     Running   14s", "   c     Pending   4s", "   d     Failed    14s")
	s.now = s.now.Add(time.Second)
	s.shows("   POD   STATUS    AGE", ">  c     Pending   5s", "   d     Failed    15s")
}

func TestAChangeThatMeansNothingIsNotMarked(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("a", "Running", 0))
	s.event(cache.Modified, pods, row("a", "Running", 0), row("a", "Running", 0))
	s.shows("   POD   STATUS    AGE", ">  a     Running   0s")
	s.keys(Enter)
	s.shows("Changes of pods/a since 2026-01-02 03:04:05", "no change since 2026-01-02T03:04:05.000+00:00")
}

func TestManyChangesBetweenTwoLooksAreOneMark(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("a", "Running", 0))
	s.event(cache.Modified, pods, row("a", "Running", 0), row("a", "Failed", 0))
	s.event(cache.Modified, pods, row("a", "Failed", 0), row("a", "Failed", 0))
	s.shows("   POD   STATUS    AGE", ">~ a     Failed    0s")
}

func TestAnObjectThatComesBackIsAddedAgain(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("a", "Running", 0))
	s.event(cache.Deleted, pods, nil, row("a", "Running", 0))
	s.event(cache.Added, pods, nil, row("a", "Ready", 0))
	s.shows("   POD   STATUS    AGE", ">+ a     Ready     0s")
	s.now = s.now.Add(time.Minute)
	s.shows("   POD   STATUS    AGE", ">  a     Ready     60s")
	s.says("1 object", "")
}

func TestTheSelectedRowStaysWhereItIs(t *testing.T) {
	s := watch(t, options(pods))
	for n := range 20 {
		s.add(pods, row(fmt.Sprintf("p%02d", n), "Running", 0))
	}
	s.draw()
	s.keys(PageDown, Down, Down)
	before := s.body()
	at := strings.Index(strings.Join(before, "\n"), ">")
	s.event(cache.Added, pods, nil, row("a", "Running", 0))
	s.event(cache.Added, pods, nil, row("b", "Running", 0))
	after := strings.Join(s.body(), "\n")
	if !strings.Contains(after, ">  p08") || strings.Index(after, ">") != at {
		t.Errorf("before:\n%s\nafter:\n%s", strings.Join(before, "\n"), after)
	}
	// The first row is whichever comes first.
	s.keys(Home)
	s.event(cache.Added, pods, nil, row("_", "Running", 0))
	if lines := s.body(); !strings.HasPrefix(lines[1], ">+ _") {
		t.Errorf("at the top is %q", lines[1])
	}
	s.keys(End)
	if lines := s.body(); !strings.HasPrefix(lines[len(lines)-1], ">  p19") {
		t.Errorf("at the end is %q", lines[len(lines)-1])
	}
}

func TestAFilterShowsOnlyRowsThatContainIt(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("web-1", "Running", 0))
	s.add(pods, row("web-2", "Failed", 0))
	s.add(pods, row("db", "Running", 0))
	s.keys("/", "R", "u", "n", "n", "x", Backspace)
	s.shows("   POD     STATUS    AGE", ">  db      Running   0s", "   web-1   Running   0s")
	s.says("2 of 3 objects   filter: Runn", "/Runn")
	s.keys(Enter, Down)
	s.event(cache.Modified, pods, row("web-2", "Failed", 0), row("web-2", "Running", 0))
	s.shows("   POD     STATUS    AGE", "   db      Running   0s", ">  web-1   Running   0s", " ~ web-2   Running   0s")
	s.keys("/", CtrlU, "q", "!")
	s.shows(`No object contains "q!".`)
	s.keys(Escape)
	s.says("3 objects", "")
}

// An age is another one a second later: who filters by it would see rows come and go.
func TestAFilterDoesNotSeeAges(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("a", "Running", 7))
	s.keys("/", "7", "s")
	s.says("0 of 1 object   filter: 7s", "")
}

func TestRowsAreSortedByAColumnAndBack(t *testing.T) {
	o := options(pods)
	o.Key = func(_ cache.Target, r *cache.Row) any { return r.Name }
	o.Compare = func(a, b any) int { return strings.Compare(b.(string), a.(string)) }
	s := watch(t, o)
	s.add(pods, row("a", "9", 3))
	s.add(pods, row("b", "10", 1))
	s.add(pods, row("c", "2", 2))
	order := func(want string) {
		t.Helper()
		got := ""
		for _, line := range s.body()[1:] {
			got += line[3:4]
		}
		if got != want {
			t.Errorf("%s: the order is %s, want %s", s.sorting, got, want)
		}
	}
	order("cba")
	s.keys("s")
	order("abc")
	s.keys("s")
	order("cab")
	if header := s.body()[0]; header != "   POD   STATUS↑  AGE" {
		t.Errorf("the header is %q", header)
	}
	s.keys("S")
	order("bac")
	s.event(cache.Modified, pods, row("c", "2", 2), row("c", "11", 2))
	order("cba")
	s.keys("s")
	order("bca") // the youngest first
	s.keys("s")
	order("cba")
	s.says("3 objects", "")
}

func TestCellsAreSortedByWhatTheyMean(t *testing.T) {
	for _, order := range [][]string{
		{"9", "10", "100"}, {"1/3", "2/3"}, {"2 (5m ago)", "10"}, {"50m", "1h"}, {"59s", "3m", "2h5m", "1d"},
		{"1Ki", "1Mi"}, {"3%", "20%"}, {"7", "<none>"}, {"a", "b"}, {"", "a"}, {"1.29", "v1"}, {"-1", "0"},
	} {
		for n := range len(order) - 1 {
			if valueOf(order[n]).compare(valueOf(order[n+1])) >= 0 {
				t.Errorf("%q does not come before %q", order[n], order[n+1])
			}
		}
	}
}

func TestAPausedViewHoldsStill(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("a", "Running", 0))
	s.keys("p")
	s.event(cache.Modified, pods, row("a", "Running", 0), row("a", "Failed", 0))
	s.event(cache.Added, pods, nil, row("b", "Pending", 0))
	s.event(cache.Modified, pods, row("b", "Pending", 0), row("b", "Running", 0))
	s.event(cache.Added, pods, nil, row("c", "Pending", 0))
	s.event(cache.Deleted, pods, nil, row("c", "Pending", 0))
	s.shows("   POD   STATUS    AGE", ">  a     Running   0s")
	s.says("1 object   PAUSED, changes of 3 objects wait", "")
	s.keys("p")
	s.shows("   POD   STATUS    AGE", ">~ a     Failed    0s", " + b     Running   0s")
	s.says("2 objects", "")
	if n := len(s.history.records); n != 2 {
		t.Errorf("the changes of %d objects are kept", n)
	}
}

func TestThePageOfAnObjectTellsItsChangesWithTheirTimes(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("a", "Running", 0))
	s.keys(Enter)
	s.now = s.now.Add(1500 * time.Millisecond)
	s.event(cache.Modified, pods, row("a", "Running", 0), row("a", "Failed", 0))
	s.now = s.now.Add(time.Second)
	s.event(cache.Deleted, pods, nil, row("a", "Failed", 0))
	want := []string{
		"Changes of pods/a since 2026-01-02 03:04:05",
		"2026-01-02T03:04:06.500+00:00  MODIFIED", "    ~ status: Running → Failed",
		"2026-01-02T03:04:07.500+00:00  DELETED",
	}
	s.shows(want...)
	// The row has gone, but who reads of it goes on reading.
	s.now = s.now.Add(time.Minute)
	s.shows(want...)
	s.keys(Escape)
	s.shows("No resources found")
}

func TestTheHistoryIsBoundedAndSaysSo(t *testing.T) {
	o := options(pods)
	o.Size = func(*cache.Row) int { return maxHistory / 4 }
	s := watch(t, o)
	s.add(pods, row("a", "0", 0))
	for n := range 6 {
		s.event(cache.Modified, pods, row("a", fmt.Sprint(n), 0), row("a", fmt.Sprint(n+1), 0))
	}
	s.height = 20
	s.keys(Enter)
	lines := s.body()
	if lines[1] != "(3 earlier changes are not kept any more)" || lines[len(lines)-1] != "    ~ status: 5 → 6" {
		t.Errorf("got:\n%s", strings.Join(lines, "\n"))
	}
	if s.history.bytes > maxHistory {
		t.Errorf("%d bytes are kept", s.history.bytes)
	}
}

func TestTheHistoryOfObjectsThatHaveGoneIsForgotten(t *testing.T) {
	s := watch(t, options(pods))
	for n := range 5000 {
		r := row(fmt.Sprint(n), "Running", 0)
		s.event(cache.Added, pods, nil, r)
		s.event(cache.Deleted, pods, nil, r)
		s.now = s.now.Add(10 * time.Millisecond)
		s.Tick(s.now)
	}
	s.now = s.now.Add(time.Minute)
	s.Tick(s.now)
	s.draw()
	if n := len(s.items[pods]); n != 0 || len(s.history.records) != 0 || s.history.bytes != 0 || len(s.history.oldest) > 5000 {
		t.Errorf("%d rows, %d records, %d bytes, %d entries are kept", n, len(s.history.records), s.history.bytes, len(s.history.oldest))
	}
}

func TestYAMLIsThatOfTheSelectedRowAsItIs(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("a", "Running", 0))
	s.add(pods, row("b", "Running", 0))
	s.keys(Down, "y")
	s.shows("YAML of pods/b", "name: b", "status: Running")
	s.event(cache.Modified, pods, row("b", "Running", 0), row("b", "Fai\x1bled", 0))
	s.shows("YAML of pods/b", "name: b", "status: Fai^[led")
}

func TestEachTypeHasATableOfItsOwn(t *testing.T) {
	s := watch(t, options(nodes, pods))
	s.height = 11
	s.add(pods, row("a", "Running", 0))
	s.add(pods, row("b", "Running", 0))
	s.add(nodes, row("n", "Ready", 0))
	s.shows("   NODE   STATUS   AGE", ">  n      Ready    0s", "", "   POD   STATUS    AGE", "   a     Running   0s", "   b     Running   0s")
	s.keys(Down)
	s.shows("   NODE   STATUS   AGE", "   n      Ready    0s", "", "   POD   STATUS    AGE", ">  a     Running   0s", "   b     Running   0s")
	s.keys(Up)
	s.shows("   NODE   STATUS   AGE", ">  n      Ready    0s", "", "   POD   STATUS    AGE", "   a     Running   0s", "   b     Running   0s")
	// Where rows are scrolled out, the header above is theirs.
	s.height = 5
	s.keys(End)
	s.shows("   POD   STATUS    AGE", "   a     Running   0s", ">  b     Running   0s")
}

func TestTheLimitIsThatOfAllTables(t *testing.T) {
	o := options(nodes, pods)
	o.Limit = 2
	s := watch(t, o)
	for _, name := range []string{"c", "a", "b"} {
		s.add(pods, row(name, "Running", 0))
	}
	s.add(nodes, row("n", "Ready", 0))
	s.shows("   NODE   STATUS   AGE", ">  n      Ready    0s", "", "   POD   STATUS    AGE", "   a     Running   0s")
	s.event(cache.Deleted, nodes, nil, row("n", "Ready", 0))
	s.now = s.now.Add(time.Minute)
	s.shows("   POD   STATUS    AGE", ">  a     Running   60s", "   b     Running   60s")
}

func TestWideAndCombiningCharactersKeepColumnsStraight(t *testing.T) {
	s := watch(t, options(pods))
	s.add(pods, row("a", "漢字", 0))
	s.add(pods, row("b", "e\u0301té", 0))
	s.add(pods, row("c", "Running", 0))
	s.shows("   POD   STATUS    AGE", ">  a     漢字      0s", "   b     e\u0301té       0s", "   c     Running   0s")
	s.width = 11
	s.shows("   POD   ST", ">  a     漢", "   b     e\u0301t", "   c     Ru")
	s.width = 20
	s.keys(Right)
	s.shows("   ATUS    AGE", ">  字      0s", "   é       0s", "   nning   0s")
	if got := scrolled("漢字", 1); got != " 字" {
		t.Errorf("half of a character is shown as %q", got)
	}
}

func TestTheViewFitsAnySize(t *testing.T) {
	for height := 1; height < 8; height++ {
		for width := 1; width < 30; width++ {
			s := watch(t, options(nodes, pods))
			s.width, s.height = width, height
			s.add(nodes, row("n", "Ready", 0))
			for n := range 5 {
				s.add(pods, row(fmt.Sprint("漢", n), "Running", 0))
			}
			for _, keys := range [][]Key{{}, {Down, Down}, {End}, {Right}, {"/", "a"}, {Escape, "?"}, {Down, Escape, Enter}, {Escape, "y"}} {
				s.keys(keys...)
				s.draw() // panics where something is outside
			}
		}
	}
}

func TestKeysAskForWhatOnlyTheProcessCanDo(t *testing.T) {
	s := watch(t, options(pods))
	for key, want := range map[Key]Action{"q": Quit, CtrlC: Interrupt, CtrlZ: Suspend, CtrlL: Redraw, "x": Stay, Escape: Stay} {
		if got := s.keys(key); got != want {
			t.Errorf("%s asks for %v, want %v", key, got, want)
		}
	}
	if got := s.keys("/", "q"); got != Stay || s.filter != "q" {
		t.Errorf("q ends the view while a filter is typed")
	}
	if got := s.keys(CtrlC); got != Interrupt {
		t.Errorf("Ctrl-C does not end the view while a filter is typed")
	}
}

func TestNewsOfALostConnectionStaysUntilItIsBack(t *testing.T) {
	s := watch(t, options(pods))
	s.Notice("connection lost: reset; reconnecting", s.now)
	s.Offline(true)
	s.now = s.now.Add(time.Hour)
	s.says("0 objects   OFFLINE", "! connection lost: reset; reconnecting")
	s.Notice("connection is back after 1h", s.now)
	s.Offline(false)
	s.says("0 objects", "connection is back after 1h")
	s.now = s.now.Add(time.Minute)
	s.says("0 objects", "/ filter  s sort  p pause  Enter changes  y YAML  ? help  q")
}

func TestHelpNamesEveryKey(t *testing.T) {
	s := watch(t, options(pods))
	s.height, s.width = 40, 100
	s.keys("?")
	help := strings.Join(s.body(), "\n")
	for _, key := range []string{"/", "s ", "S ", "p ", "Enter", "y ", "q ", "Esc", "Ctrl-Z", "Ctrl-C", "PgUp", "g, G", "k", "j"} {
		if !strings.Contains(help, key) {
			t.Errorf("%q is not in:\n%s", key, help)
		}
	}
}

// What happens to ten thousand rows must not cost each of them anything.
func TestOneChangeOfManyRowsLeavesTheOthersAlone(t *testing.T) {
	o := options(pods)
	asked := 0
	cells := o.Cells
	o.Cells = func(target cache.Target, r *cache.Row, now time.Time) []string {
		asked++
		return cells(target, r, now)
	}
	s := watch(t, o)
	for n := range 10_000 {
		s.add(pods, row(fmt.Sprintf("p%05d", n), "Running", 0))
	}
	s.draw()
	asked = 0
	s.event(cache.Modified, pods, row("p05000", "Running", 0), row("p05000", "Failed", 0))
	s.draw()
	if visible := s.height - 3; asked > visible+1 {
		t.Errorf("the cells of %d rows were made for %d lines", asked, visible)
	}
}

func TestTheDocumentedKeysAreThoseOfTheHelp(t *testing.T) {
	page, err := os.ReadFile("../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(helpText) {
		keys, _, isKey := strings.Cut(line, "  ")
		if !isKey {
			continue
		}
		for key := range strings.SplitSeq(keys, ", ") {
			if !strings.Contains(string(page), "`"+key+"`") {
				t.Errorf("docs/live.md does not name %s", key)
			}
		}
	}
}
