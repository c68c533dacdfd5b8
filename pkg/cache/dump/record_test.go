package dump

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// entry is a line of a record: an event of a pod with a label, at a second.
func entry(kind, name, label string, second int, members string) string {
	return fmt.Sprintf(`{"type":%q,"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","uid":%q,"labels":{"l":%q}}},"time":%q%s}`+"\n",
		kind, name, name, label, at(second).Format(time.RFC3339), members)
}

func at(second int) time.Time { return time.Date(2026, 1, 1, 0, 0, second, 0, time.UTC) }

const initially = `,"initial":true`

// lifetimes are those of pods a, from the start, and b.
func lifetimes() string {
	return entry("ADDED", "a", "1", 1, initially) +
		`{"type":"SYNCED","apiVersion":"v1","kind":"Pod","time":"2026-01-01T00:00:02Z"}` + "\n" +
		entry("MODIFIED", "a", "2", 3, "") +
		entry("ADDED", "b", "2", 4, "") +
		entry("DELETED", "a", "2", 5, "") +
		entry("MODIFIED", "b", "1", 6, "")
}

func readRecord(t *testing.T, text string) (*Record, error) {
	t.Helper()
	return ReadRecord(t.Context(), "-", strings.NewReader(text))
}

func mustReadRecord(t *testing.T, text string) *Record {
	t.Helper()
	r, err := readRecord(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestACutLastLineIsAWarning(t *testing.T) {
	r := mustReadRecord(t, lifetimes()+`{"type":"ADDED","obj`)
	if got := strings.Join(r.Warnings(), "\n"); got != "stdin: line 7, the last, was cut off and is left out" || len(r.events) != 6 {
		t.Errorf("got %d events, %q", len(r.events), got)
	}
	if r := mustReadRecord(t, strings.TrimSuffix(lifetimes(), "\n")); len(r.events) != 6 || len(r.Warnings()) != 0 {
		t.Errorf("without its newline: got %d events, %q", len(r.events), r.Warnings())
	}
}

func TestALineThatIsNoEventIsAnErrorWithItsNumber(t *testing.T) {
	for line, want := range map[string]string{
		"hello":                            "stdin: line 2: not an event: a record has one event a line, as tail -o json prints it",
		`{"kind":"Pod","apiVersion":"v1"}`: "stdin: line 2: not an event: it has no type",
		`{"type":"Opaque","object":{}}`:    `stdin: line 2: not an event: its type is "Opaque"`,
		`{"type":"ADDED"}`:                 "stdin: line 2: not an event: it has no object",
		`{"type":"ADDED","object":{}}`:     "stdin: line 2: not an event: " + errNotObject.Error(),
		`{"type":"ADDED","object":{"kind":"PodList","apiVersion":"v1","items":[]}}`: "stdin: line 2: not an event of one object",
		`{"type":"SYNCED"}`: "stdin: line 2: SYNCED lacks apiVersion or kind",
		`{"type":"RECORD"}`: "stdin: line 2: another record begins: each has to be asked alone",
		strings.TrimSpace(entry("ADDED", "a", "1", 1, initially)): `stdin: line 2: Pod "a" is there at the start once more: another run begins, and each has to be asked alone`,
	} {
		_, err := readRecord(t, entry("ADDED", "a", "1", 1, initially)+line+"\n")
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
	if _, err := readRecord(t, entry("ADDED", "a", "1", 1, "")+"{\"type\n"+entry("ADDED", "b", "1", 1, "")); err == nil || !strings.HasPrefix(err.Error(), "stdin: line 2: ") {
		t.Errorf("cut in the middle: got %v", err)
	}
}

func TestWhatThereWasAtATimeIsWhatTheEventsUntilThenSay(t *testing.T) {
	r := mustReadRecord(t, lifetimes())
	for second, want := range map[int]string{1: "a=1", 2: "a=1", 3: "a=2", 4: "a=2 b=2", 5: "b=2", 6: "b=1"} {
		d, err := r.At(at(second))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range d.objects[podKind] {
			got = append(got, o.name+"="+o.metadata(false).Labels["l"])
		}
		if strings.Join(got, " ") != want || !d.NewestTime().Equal(at(second)) || len(d.Warnings()) > 0 {
			t.Errorf("second %d: got %q as of %v, %q; want %s", second, got, d.NewestTime(), d.Warnings(), want)
		}
	}
	d, err := r.At(time.Time{})
	if err != nil || states(d) != "b=b" || !d.NewestTime().Equal(at(6)) {
		t.Errorf("at the end: got %s, %v", states(d), err)
	}
	if d, err := r.At(at(9)); err != nil || len(d.Warnings()) != 1 {
		t.Errorf("after the end: got %q, %v; want a warning", d.Warnings(), err)
	}
	if _, err := r.At(at(0)); err == nil || !strings.Contains(err.Error(), "the record begins at 2026-01-01T00:00:01Z") {
		t.Errorf("before the record: got %v", err)
	}
	untimed := mustReadRecord(t, event("ADDED", pod("a", "1", "x")))
	if _, err := untimed.At(at(1)); err == nil || !strings.Contains(err.Error(), "does not have the times") {
		t.Errorf("without times: got %v", err)
	}
	if d, err := untimed.At(time.Time{}); err != nil || states(d) != "a=x" {
		t.Errorf("without times, at the end: got %v", err)
	}
}

// played tells the events of pods that a Target has of a record.
func played(t *testing.T, text string, target cache.Target) (told []string) {
	t.Helper()
	r := mustReadRecord(t, text)
	d, err := r.Whole()
	if err != nil {
		t.Fatal(err)
	}
	target.Kind = podKind
	p, err := r.Play(d, Played{Target: target, Form: cache.Whole, Transform: func(*cache.Row) {}})
	if err != nil {
		t.Fatal(err)
	}
	for {
		event, ok := p.Peek()
		if !ok {
			return told
		}
		p.Take()
		line := string(event.Type)
		if event.Row != nil {
			line += " " + event.Row.Name + event.Row.Labels["l"]
		}
		if event.Old != nil {
			line += " was " + event.Old.Labels["l"]
		}
		if event.Initial {
			line += " initial"
		}
		told = append(told, line)
	}
}

func TestARecordIsPlayedAsItsTargetWouldHaveReportedIt(t *testing.T) {
	marked := lifetimes()
	unmarked := strings.Replace(marked, `{"type":"SYNCED","apiVersion":"v1","kind":"Pod","time":"2026-01-01T00:00:02Z"}`, "", 1)
	all := "ADDED a1 initial, SYNCED, MODIFIED a2 was 1, ADDED b2, DELETED a2, MODIFIED b1 was 2"
	for name, test := range map[string]struct {
		text   string
		target cache.Target
		want   string
	}{
		"everything":             {marked, cache.Target{}, all},
		"without marks":          {unmarked, cache.Target{}, all},
		"one namespace":          {marked, cache.Target{Namespace: "shop"}, all},
		"another namespace":      {marked, cache.Target{Namespace: "other"}, "SYNCED"},
		"one object":             {marked, cache.Target{Name: "b"}, "SYNCED, ADDED b2, MODIFIED b1 was 2"},
		"leaving the selector":   {marked, cache.Target{LabelSelector: "l=1"}, "ADDED a1 initial, SYNCED, DELETED a2, ADDED b1"},
		"entering the selector":  {marked, cache.Target{LabelSelector: "l=2"}, "SYNCED, ADDED a2, ADDED b2, DELETED a2, DELETED b1"},
		"a field":                {marked, cache.Target{FieldSelector: "metadata.name=b"}, "SYNCED, ADDED b2, MODIFIED b1 was 2"},
		"changes alone":          {entry("MODIFIED", "a", "2", 1, ""), cache.Target{}, "SYNCED, MODIFIED a2"},
		"a deletion alone":       {entry("DELETED", "a", "2", 1, ""), cache.Target{}, "SYNCED, DELETED a2"},
		"nothing after the list": {entry("ADDED", "a", "1", 1, initially), cache.Target{}, "ADDED a1 initial, SYNCED"},
	} {
		if got := strings.Join(played(t, test.text, test.target), ", "); got != test.want {
			t.Errorf("%s: got %s\nwant %s", name, got, test.want)
		}
	}
}

func TestADumpOfFilesPassesOverTheFirstLineOfARecord(t *testing.T) {
	d := mustRead(t, `{"type":"RECORD","time":"2026-01-01T00:00:00Z","targets":[]}`+"\n"+entry("ADDED", "a", "1", 1, ""))
	if got := names(d); !slices.Equal(got, []string{"v1/Pod/shop/a"}) || len(d.Warnings()) > 0 {
		t.Errorf("got %q, %q", got, d.Warnings())
	}
}
