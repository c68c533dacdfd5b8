package display_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

func TestCharactersThatDriveATerminalAreShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 世界 😀\n\ttext": "plain é 世界 😀\n\ttext",
		"\x1b[2J":              "^[[2J",
		"a\rb":                 `a\rb`,
		"\x00\x07\x08\x0b\x0c": `\u0000\u0007\u0008\u000b\u000c`,
		"\x7f":                 `\u007f`,
		"\u0080\u0085\u009b1m": `\u0080\u0085\u009b1m`,
		"\x9b1m":               `\x9b1m`,
		"\u00a0":               "\u00a0",
		"cut \xe4\xb8":         `cut \xe4\xb8`,
		"\ufffd":               "\ufffd",
	} {
		if got := written(t, []byte(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := display.Escape("a\tb\nc", ""); got != `a\tb\nc` {
		t.Errorf("in a cell: %q", got)
	}
}

func TestCharactersThatHideOrReorderTextAreShown(t *testing.T) {
	for in, want := range map[string]string{
		"user\u202etxt.exe": `user\u202etxt.exe`,
		"\u2066a\u2069":     `\u2066a\u2069`,
		"ad\u200bmin":       `ad\u200bmin`,
		"ad\u200dmin":       `ad\u200dmin`,
		"\u200e\u200f\u061c\ufeff\u2060\u2064\u00ad": `\u200e\u200f\u061c\ufeff\u2060\u2064\u00ad`,
		"a\u2028b\u2029": `a\u2028b\u2029`,
		// Tags, and the selectors of variants, spell text that nobody sees.
		"\U000e0041\U000e007f": `\udb40\udc41\udb40\udc7f`,
		"😀\U000e0100":          `😀\udb40\udd00`,
		// A filler is a letter without a glyph.
		"admin\u3164": `admin\u3164`,
		"a\u034fb":    `a\u034fb`,
		// The parts of a joined emoji are legible.
		"👨\u200d👩": `👨\u200d👩`,
		// What makes an emoji of a symbol is part of it, and hides behind a letter.
		"⚠\ufe0f ok":    "⚠\ufe0f ok",
		"ad\ufe0fmin":   `ad\ufe0fmin`,
		"⚠\ufe0f\ufe0f": "⚠\ufe0f" + `\ufe0f`,
		// These are seen.
		"\u0600١": "\u0600١",
	} {
		if got := written(t, []byte(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestAFailingWriterIsReported(t *testing.T) {
	for _, text := range []string{"plain", "\x1b", "\xe4"} {
		w := display.NewWriter(broken{})
		_, err := w.Write([]byte(text))
		if err == nil {
			err = w.Flush()
		}
		if !errors.Is(err, errBroken) {
			t.Errorf("%q: got %v", text, err)
		}
	}
	if _, err := display.Messages(broken{}).Write([]byte("x")); !errors.Is(err, errBroken) {
		t.Errorf("messages: got %v", err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestTheEndOfAShortenedTextIsKept(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"世界世界", 4, "世界世界"},
		{`"a long name"`, 7, `"a …me"`},
		{"世界世界世", 4, "世界…世"},
		{"abcdef", 1, "…"},
	} {
		if got := display.Shorten(test.text, test.most); got != test.want {
			t.Errorf("%q to %d: got %q, want %q", test.text, test.most, got, test.want)
		}
	}
}

func TestALineHoldsNoBreak(t *testing.T) {
	if got := display.Line("a\nb\u202ec", 10); got != `a\nb\u202ec` {
		t.Errorf("got %q", got)
	}
}

func FuzzEscapedTextIsSafe(f *testing.F) {
	for _, seed := range []string{
		"plain\n", "\x1b[31m", "é世界😀", "\u009b", "\xc2", "\x9b\x80", "\xf0\x9f\x98", "⚠\ufe0f", "a\ufe0f", "\u202e\U000e0041", `\` + "\u2066", `"` + "\ufeff",
	} {
		f.Add([]byte(seed), uint(1))
		f.Add([]byte(seed+seed), uint(len(seed)))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint) {
		at := int(cut % uint(len(data)+1))
		once, twice := written(t, data), written(t, data[:at], data[at:])
		if once != twice {
			t.Errorf("%q, cut at %d: %q differs from %q", data, at, twice, once)
		}
		checkSafe(t, once, "\n\t")
		if again := written(t, []byte(once)); again != once {
			t.Errorf("safe text was changed: %q to %q", once, again)
		}
		cell := display.Escape(string(data), "")
		checkSafe(t, cell, "")
		checkSafe(t, display.Quote(string(data)), "")
		checkSafe(t, display.Line(string(data), 1+int(cut%50)), "")
		if again := display.Escape(cell, ""); again != cell {
			t.Errorf("a safe cell was changed: %q to %q", cell, again)
		}
	})
}

// checkSafe goes by Unicode's own properties, not by the package's.
func checkSafe(t *testing.T, text, keep string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q is not UTF-8", text)
	}
	var before rune
	for _, r := range text {
		symbol := before > unicode.MaxASCII && unicode.IsSymbol(before) && (r == '\ufe0e' || r == '\ufe0f')
		hidden := unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Join_Control) ||
			r >= 0xe0000 && r <= 0xe0fff || r >= 0x2060 && r <= 0x206f || r == 0xfeff || r == 0x200b
		if hidden && !symbol && !strings.ContainsRune(keep, r) {
			t.Errorf("%q is raw in %q", r, text)
		}
		before = r
	}
}

func FuzzEscapedJSONIsTheSameValue(f *testing.F) {
	for _, seed := range []string{"", "\x1b[31m\r", "\u202e", `\` + "\u2066" + `\\`, "\U000e0041\U0001f600", "\u2028\ufeff\u0085", "⚠\ufe0fa\ufe0f=\ufe0f", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value := map[string]any{text: []any{text, 1.5}}
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		escaped := written(t, data)
		if err := json.Unmarshal([]byte(escaped), &got); err != nil {
			t.Fatalf("%q: %v", escaped, err)
		}
		wantText, _ := json.Marshal(want)
		gotText, _ := json.Marshal(got)
		if !bytes.Equal(wantText, gotText) {
			t.Errorf("%q became %q", wantText, gotText)
		}
	})
}

func written(t *testing.T, pieces ...[]byte) string {
	t.Helper()
	var out bytes.Buffer
	w := display.NewWriter(&out)
	for _, piece := range pieces {
		if n, err := w.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("wrote %d of %q: %v", n, piece, err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
