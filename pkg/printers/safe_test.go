package printers

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func ioStreams(out *strings.Builder) genericiooptions.IOStreams {
	return genericiooptions.IOStreams{Out: out, ErrOut: out}
}

func TestControlCharactersAreShown(t *testing.T) {
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
		var out bytes.Buffer
		w := Safe(&out)
		if n, err := w.Write([]byte(in)); n != len(in) || err != nil {
			t.Errorf("%q: wrote %d, %v", in, n, err)
		}
		if err := w.Flush(); err != nil {
			t.Error(err)
		}
		if got := out.String(); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestAFailingTerminalIsReported(t *testing.T) {
	for _, text := range []string{"plain", "\x1b", "\xe4"} {
		w := Safe(&brokenPipe{})
		_, err := w.Write([]byte(text))
		if err == nil {
			err = w.Flush()
		}
		if err != syscall.EPIPE {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func FuzzSafeLetsNoControlCharacterThrough(f *testing.F) {
	for _, seed := range []string{"plain\n", "\x1b[31m", "é世界😀", "\u009b", "\xc2", "\x9b\x80", "\xf0\x9f\x98"} {
		f.Add([]byte(seed), uint(1))
		f.Add([]byte(seed+seed), uint(len(seed)))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint) {
		at := int(cut % uint(len(data)+1))
		once, twice := written(t, data), written(t, data[:at], data[at:])
		if once != twice {
			t.Errorf("%q, cut at %d: %q differs from %q", data, at, twice, once)
		}
		if !utf8.ValidString(once) {
			t.Errorf("%q: %q is not UTF-8", data, once)
		}
		if strings.ContainsFunc(once, func(r rune) bool { return isControl(r) && r != '\n' && r != '\t' }) {
			t.Errorf("%q: raw control character in %q", data, once)
		}
		if again := written(t, []byte(once)); again != once {
			t.Errorf("safe text was changed: %q to %q", once, again)
		}
	})
}

func written(t *testing.T, pieces ...[]byte) string {
	t.Helper()
	var out bytes.Buffer
	w := Safe(&out)
	for _, piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
