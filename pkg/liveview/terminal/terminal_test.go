package terminal

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"go.uber.org/goleak"

	"github.com/kubectl-informer/kubectl-informer/pkg/liveview"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func simulated(t *testing.T, colours bool) (*Terminal, tcell.SimulationScreen) {
	t.Helper()
	screen := tcell.NewSimulationScreen("UTF-8")
	terminal, err := open(screen, colours)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(terminal.Close)
	screen.SetSize(10, 2)
	return terminal, screen
}

// next returns the next key.
func next(t *testing.T, terminal *Terminal) liveview.Key {
	t.Helper()
	for input := range terminal.Inputs() {
		if !input.Resized {
			return input.Key
		}
	}
	t.Fatal("no key comes any more")
	return ""
}

func TestKeysHaveTheNamesThatTheModelKnows(t *testing.T) {
	terminal, screen := simulated(t, true)
	for _, key := range []struct {
		key  tcell.Key
		char rune
		mod  tcell.ModMask
		want liveview.Key
	}{
		{tcell.KeyRune, 'q', 0, "q"}, {tcell.KeyRune, '漢', 0, "漢"}, {tcell.KeyRune, 'S', tcell.ModShift, "S"},
		{tcell.KeyEnter, 0, 0, liveview.Enter}, {tcell.KeyEscape, 0, 0, liveview.Escape}, {tcell.KeyBackspace2, 0, 0, liveview.Backspace},
		{tcell.KeyUp, 0, 0, liveview.Up}, {tcell.KeyPgDn, 0, 0, liveview.PageDown}, {tcell.KeyEnd, 0, 0, liveview.End},
		{tcell.KeyRune, 3, 0, liveview.CtrlC}, {tcell.KeyRune, 26, 0, liveview.CtrlZ}, {tcell.KeyRune, 21, 0, liveview.CtrlU},
		{tcell.KeyRune, 'c', tcell.ModCtrl, liveview.CtrlC}, {tcell.KeyCtrlZ, 0, tcell.ModCtrl, liveview.CtrlZ},
	} {
		screen.InjectKey(tcell.KeyF5, 0, 0)                // which does nothing
		screen.InjectKey(tcell.KeyRune, 'q', tcell.ModAlt) // is not q
		screen.InjectKey(key.key, key.char, key.mod)
		if got := next(t, terminal); got != key.want {
			t.Errorf("%v %q is %q, want %q", key.key, key.char, got, key.want)
		}
	}
}

func TestOnlyWhatIsDrawnIsOnTheScreen(t *testing.T) {
	terminal, screen := simulated(t, true)
	shown := func() string {
		cells, _, _ := screen.GetContents()
		var text strings.Builder
		for _, cell := range cells[:10] {
			text.WriteString(string(cell.Runes))
		}
		return strings.TrimRight(text.String(), " X")
	}
	for _, text := range []string{"longer than the screen", "short", "e\u0301"} {
		terminal.Draw(func(c liveview.Canvas) {
			if width, height := c.Size(); width != 10 || height != 2 {
				t.Errorf("the screen is %d by %d", width, height)
			}
			c.Put(0, 0, text, liveview.Plain)
			c.Put(0, 5, "outside", liveview.Plain)
		})
		if got, want := shown(), strings.TrimRight(text[:min(len(text), 10)], " "); got != want {
			t.Errorf("on the screen is %q, want %q", got, want)
		}
	}
}

func TestWithoutColoursOnlyAttributesAreLeft(t *testing.T) {
	for style := liveview.Plain; style <= liveview.Status; style++ {
		for _, style := range []liveview.Style{style, style | liveview.Selected} {
			foreground, background, attributes := styleOf(style, false).Decompose()
			if foreground != tcell.ColorDefault || background != tcell.ColorDefault {
				t.Errorf("style %d has a colour", style)
			}
			if style&liveview.Selected != 0 && attributes&tcell.AttrReverse == 0 {
				t.Errorf("style %d is not seen to be selected", style)
			}
		}
	}
}

func TestInputsEndWithTheTerminal(t *testing.T) {
	terminal, _ := simulated(t, true)
	terminal.Close()
	terminal.Close()
	for range terminal.Inputs() {
	}
}
