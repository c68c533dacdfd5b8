package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

func lines(t *testing.T, old, now map[string]any) string {
	t.Helper()
	d, err := diff.Between(rowOf(t, old), rowOf(t, now), diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(d.Lines(), "\n")
}

func TestAChangeIsOneLineForPeople(t *testing.T) {
	for name, test := range map[string]struct{ old, now, want string }{
		"a number":               {widget("{i: 2}"), widget("{i: 3}"), "spec.i: 2 → 3"},
		"every digit":            {widget("{i: 9007199254740993}"), widget("{i: 9007199254740992}"), "spec.i: 9007199254740993 → 9007199254740992"},
		"a float with its point": {widget("{i: 1.5}"), widget("{i: 1.25}"), "spec.i: 1.5 → 1.25"},
		"text":                   {widget("{s: a b}"), widget("{s: 'nginx:1.27'}"), "spec.s: a b → nginx:1.27"},
		"what came":              {widget("{}"), widget("{s: a, t: b}"), "spec.s: <none> → a\nspec.t: <none> → b"},
		"what went":              {widget("{s: a, t: b}"), widget("{t: b}"), "spec.s: a → <none>"},
		"null":                   {widget("{s: null}"), widget("{s: true}"), "spec.s: null → true"},
		"text like a number":     {widget("{s: 3}"), widget("{s: '3'}"), `spec.s: 3 → "3"`},
		"text like a word":       {widget("{s: 'null'}"), widget("{s: <none>}"), `spec.s: "null" → "<none>"`},
		"text like a mask":       {widget("{s: '***'}"), widget("{s: a → b}"), `spec.s: "***" → "a → b"`},
		"spaces and nothing":     {widget("{s: ''}"), widget("{s: ' a'}"), `spec.s: "" → " a"`},
		"a list":                 {widget("{l: [a, '1', 1]}"), widget("{l: []}"), `spec.l: [a, "1", 1] → []`},
		"an item": {
			widget("{l: []}"), widget("{l: [{name: a, i: 1, ports: [80], s: 'x: y', u: 'http://x'}]}"),
			`spec.l[a]: <none> → {i: 1, name: a, ports: [80], s: "x: y", u: http://x}`,
		},
		"an item of a built-in type": {
			deployment("{containers: [{name: web, image: a}]}"), deployment("{containers: [{name: web, image: b}]}"),
			"spec.template.spec.containers[web].image: a → b",
		},
		"an item with several keys": {
			service("[{port: 80, protocol: TCP, nodePort: 1}]"), service("[{port: 80, protocol: TCP, nodePort: 2}]"),
			"spec.ports[port=80,protocol=TCP].nodePort: 1 → 2",
		},
		"an item without keys":        {widget("{l: [{x: 1}]}"), widget("{l: [{x: 2}]}"), "spec.l[0].x: 1 → 2"},
		"an item named like an index": {widget("{l: [{name: '0', x: 1}]}"), widget("{l: [{name: '0', x: 2}]}"), `spec.l["0"].x: 1 → 2`},
		"another order": {
			pod("{containers: [{name: a}, {name: b}]}", "{}"), pod("{containers: [{name: b}, {name: a}]}", "{}"),
			"spec.containers in another order: [a, b] → [b, a]",
		},
		"a key with dots": {
			"metadata: {labels: {app.kubernetes.io/name: a}}", "metadata: {labels: {app.kubernetes.io/name: b}}",
			`metadata.labels.app\.kubernetes\.io/name: a → b`,
		},
		"a Secret":       {secret("data: {a: eA==}"), secret("data: {a: eQ==, b: eQ==}"), "data.a: *** (before) → *** (after)\ndata.b: <none> → ***"},
		"another object": {"metadata: {uid: a}", "metadata: {uid: b}", "replaced by a new object of the same name\nmetadata.uid: a → b"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := diff.Between(row(t, test.old), row(t, test.now), diff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if difference := cmp.Diff(test.want, strings.Join(d.Lines(), "\n")); difference != "" {
				t.Errorf("-want +got:\n%s", difference)
			}
		})
	}
}

func TestFloatsNeverReadAsIntegers(t *testing.T) {
	for f, want := range map[float64]string{1: "1.0", 1e6: "1000000.0", 1e20: "100000000000000000000.0", 1e21: "1e+21", 1e-7: "1e-07", -0.5: "-0.5", 0: "0.0"} {
		got := lines(t, map[string]any{"i": int64(1)}, map[string]any{"i": f})
		if want = "i: 1 → " + want; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// kubernetes/kubernetes#101695
func TestControlCharactersReachNoLine(t *testing.T) {
	for _, control := range []string{"\x1b[2J", "\r", "\x00", "\a", "\x7f", "\u0085", "\u009b31m", "\u202e", "\t"} {
		old := map[string]any{"spec": map[string]any{}}
		now := map[string]any{"spec": map[string]any{
			"text":               "a" + control + "b",
			"lines":              "a\nb" + control + "\n",
			"key" + control:      "x",
			"list":               []any{control, map[string]any{control: control}},
			"items":              []any{map[string]any{"name": control, "x": control}},
			"a" + control + "\n": "x\ny",
		}}
		got := lines(t, old, now)
		for _, r := range got {
			if r != '\n' && (r < 0x20 || r >= 0x7f && r <= 0x9f || r == '\u202e') {
				t.Errorf("%q is in %q", r, got)
			}
		}
		if quoted := strings.Trim(fmt.Sprintf("%q", control), `"`); strings.Count(got, quoted) < 8 {
			t.Errorf("%s is not shown everywhere:\n%s", quoted, got)
		}
	}
}

func TestTextOfSeveralLinesChangesLineByLine(t *testing.T) {
	numbered := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	for name, test := range map[string]struct {
		old, now any
		want     []string
	}{
		"one line of three": {"a: 1\nb: 2\nc: 3\n", "a: 1\nb: 5\nc: 3\n", []string{"    a: 1", "  - b: 2", "  + b: 5", "    c: 3"}},
		"far apart": {numbered(0, 9), "new\n" + numbered(0, 8),
			[]string{"  + new", "    line 0", "  …", "    line 7", "  - line 8"}},
		"from one line":     {"a", "a\nb", []string{"    a", "  + b"}},
		"from nothing":      {nil, "a\nb\n", []string{"  + a", "  + b"}},
		"to nothing":        {"a\nb\n", nil, []string{"  - a", "  - b"}},
		"a last newline":    {"a\nb\n", "a\nb", []string{"    b", `  - ""`}},
		"only a newline":    {"", "\n", []string{`  + ""`}},
		"spaces at the end": {"a\nb\n", "a \nb\n", []string{"  - a", `  + "a "`, "    b"}},
		"line ends":         {"a\r\nb", "a\nb", []string{`  - "a\r"`, "  + a", "    b"}},
		"a long line": {"x\n" + strings.Repeat("a", 200) + "1" + strings.Repeat("b", 200), "x\n" + strings.Repeat("a", 200) + "2" + strings.Repeat("b", 200),
			[]string{"    x", "  - …aaaaaaaaaaaaaaaa1bbbbbbbbbbbbbbbb…", "  + …aaaaaaaaaaaaaaaa2bbbbbbbbbbbbbbbb…"}},
		"very many lines": {numbered(0, 1500), numbered(2000, 4000), []string{"  … 1500 lines became 2000 lines"}},
		"one line of very many": {numbered(0, 5000) + "x\n" + numbered(0, 5000), numbered(0, 5000) + "y\n" + numbered(0, 5000),
			[]string{"    line 4999", "  - x", "  + y", "    line 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			side := func(v any) map[string]any {
				data := map[string]any{"other": "x"}
				if v != nil {
					data["app.conf"] = v
				}
				return map[string]any{"data": data}
			}
			want := strings.Join(append([]string{`data.app\.conf:`}, test.want...), "\n")
			if difference := cmp.Diff(want, lines(t, side(test.old), side(test.now))); difference != "" {
				t.Errorf("-want +got:\n%s", difference)
			}
		})
	}
}

func TestADifferenceOfManyLinesEndsWithTheirNumber(t *testing.T) {
	for came, last := range map[int]string{40: "  + x", 41: "  + x", 42: "  … 2 more lines", 100: "  … 60 more lines"} {
		got := strings.Split(lines(t, map[string]any{}, map[string]any{"text": strings.Repeat("x\n", came)}), "\n")
		if want := min(came, 41) + 1; len(got) != want || got[want-1] != last {
			t.Errorf("%d of %d lines, the last is %q", len(got), came, got[len(got)-1])
		}
	}
}

func TestLongValuesAreShortenedAndWhatChangedStays(t *testing.T) {
	long := strings.Repeat("a", 150)
	for name, test := range map[string]struct{ old, now any }{
		"in front":      {"1" + long, "2" + long},
		"in the middle": {long + "1" + long, long + "2" + long},
		"at the end":    {long + "1", long + "2"},
		"all of it":     {long, strings.Repeat("2", 300)},
		"it grew":       {long, long + "2"},
		"one of many":   {[]any{long, "1", long}, []any{long, "2", long}},
		"overlapping":   {long + long, long + "2" + long + long},
		"it came":       {nil, "2" + long},
		"wide runes":    {strings.Repeat("é", 150) + "1", strings.Repeat("é", 150) + "2"},
	} {
		t.Run(name, func(t *testing.T) {
			got := lines(t, map[string]any{"v": test.old}, map[string]any{"v": test.now})
			old, now, _ := strings.Cut(got, " → ")
			if len([]rune(got)) > 210 || !strings.Contains(got, "…") || !strings.Contains(now, "2") || old == "v: "+now {
				t.Errorf("got %s", got)
			}
			d, err := diff.Between(rowOf(t, map[string]any{"v": test.old}), rowOf(t, map[string]any{"v": test.now}), diff.Options{})
			if err != nil || !cmp.Equal(*d.Changes[0].New, test.now) {
				t.Errorf("data must not be shortened: %v, %v", d, err)
			}
		})
	}
}

func TestAChangeThatOthersMadeHasItsPathForLabel(t *testing.T) {
	before, after := any("a"), any("b")
	d := diff.Diff{Changes: []diff.Change{{Path: "spec.x", Old: &before, New: &after}}}
	if got := strings.Join(d.Lines(), "\n"); got != "spec.x: a → b" {
		t.Errorf("got %q", got)
	}
}
