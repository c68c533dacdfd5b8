// Package terminal draws a liveview.Model on a terminal, and reads keys from it.
package terminal

import (
	"errors"
	"sync"

	"github.com/gdamore/tcell/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/liveview"
)

// Terminal is the terminal of the process, while the view is on it.
type Terminal struct {
	screen  tcell.Screen
	colours bool
	inputs  chan Input
	quit    chan struct{}
	closing sync.Once
	reading sync.WaitGroup
}

// Input is a key, or a new size of the screen.
type Input struct {
	Key     liveview.Key
	Resized bool
}

// Open takes over the terminal. Close has to be called.
func Open(colours bool) (*Terminal, error) {
	screen, err := tcell.NewScreen()
	if err != nil {
		return nil, err
	}
	return open(screen, colours)
}

// open takes over a screen.
func open(screen tcell.Screen, colours bool) (*Terminal, error) {
	if err := screen.Init(); err != nil {
		return nil, err
	}
	t := &Terminal{screen: screen, colours: colours, inputs: make(chan Input, 64), quit: make(chan struct{})}
	t.reading.Go(t.read)
	return t, nil
}

// Inputs are closed when the terminal has gone.
func (t *Terminal) Inputs() <-chan Input { return t.inputs }

// Close gives the terminal back as it was. It may be called more than once.
func (t *Terminal) Close() {
	t.closing.Do(func() {
		close(t.quit)
		t.screen.Fini()
		t.reading.Wait()
	})
}

// read passes on what is typed until the screen is closed.
func (t *Terminal) read() {
	defer close(t.inputs)
	for {
		var input Input
		switch event := t.screen.PollEvent().(type) {
		case nil:
			return
		case *tcell.EventResize:
			input.Resized = true
		case *tcell.EventError:
			if errors.Is(event, tcell.ErrEventQFull) {
				continue
			}
			return // the terminal cannot be read any more
		case *tcell.EventKey:
			if input.Key = keyOf(event); input.Key == "" {
				continue
			}
		default:
			continue
		}
		select {
		case t.inputs <- input:
		case <-t.quit:
			return
		}
	}
}

// Draw shows what a Model draws. What has not changed is not written again.
func (t *Terminal) Draw(draw func(liveview.Canvas)) {
	t.screen.HideCursor()
	t.screen.Clear()
	draw(canvas{t})
	t.screen.Show()
}

// Redraw writes all of the screen anew.
func (t *Terminal) Redraw() { t.screen.Sync() }

// Aside gives the terminal back while something is done, and takes it again.
func (t *Terminal) Aside(do func()) error {
	if err := t.screen.Suspend(); err != nil {
		return err
	}
	do()
	return t.screen.Resume()
}

// canvas is the screen as a Model sees it.
type canvas struct{ *Terminal }

// Size is that of the terminal.
func (c canvas) Size() (width, height int) { return c.screen.Size() }

// Put writes text.
func (c canvas) Put(x, y int, text string, style liveview.Style) {
	c.screen.PutStrStyled(x, y, text, styleOf(style, c.colours))
}

// Cursor shows the cursor.
func (c canvas) Cursor(x, y int) { c.screen.ShowCursor(x, y) }

// styleOf is how a style looks. Without colours the attributes are left.
func styleOf(style liveview.Style, colours bool) tcell.Style {
	out := tcell.StyleDefault
	foreground := func(c tcell.Color) {
		if colours {
			out = out.Foreground(c)
		}
	}
	switch style &^ liveview.Selected {
	case liveview.Heading:
		out = out.Bold(true)
	case liveview.Dim:
		out = out.Dim(true)
	case liveview.Added:
		foreground(tcell.ColorGreen)
	case liveview.Changed:
		foreground(tcell.ColorOlive)
	case liveview.Deleted:
		out = out.StrikeThrough(true)
		foreground(tcell.ColorMaroon)
	case liveview.Notice:
		out = out.Bold(true)
	case liveview.Alert:
		out = out.Bold(true)
		foreground(tcell.ColorMaroon)
	case liveview.Bar:
		foreground(tcell.ColorTeal)
	case liveview.Status:
		out = out.Reverse(true)
	}
	if style&liveview.Selected != 0 {
		out = out.Reverse(true)
	}
	return out
}

// keyOf is what a key is to a Model; empty for one that it has no use for.
func keyOf(event *tcell.EventKey) liveview.Key {
	if event.Key() == tcell.KeyRune {
		if event.Modifiers()&(tcell.ModAlt|tcell.ModMeta|tcell.ModCtrl) != 0 {
			return ""
		}
		return liveview.Key(string(event.Rune()))
	}
	return map[tcell.Key]liveview.Key{
		tcell.KeyEnter: liveview.Enter, tcell.KeyEscape: liveview.Escape,
		tcell.KeyBackspace: liveview.Backspace, tcell.KeyBackspace2: liveview.Backspace,
		tcell.KeyUp: liveview.Up, tcell.KeyDown: liveview.Down, tcell.KeyLeft: liveview.Left, tcell.KeyRight: liveview.Right,
		tcell.KeyPgUp: liveview.PageUp, tcell.KeyPgDn: liveview.PageDown, tcell.KeyHome: liveview.Home, tcell.KeyEnd: liveview.End,
		// As terminals that tell keys apart report them, and as all others do.
		tcell.KeyCtrlC: liveview.CtrlC, tcell.KeyCtrlU: liveview.CtrlU, tcell.KeyCtrlZ: liveview.CtrlZ, tcell.KeyCtrlL: liveview.CtrlL,
		tcell.KeyETX: liveview.CtrlC, tcell.KeyNAK: liveview.CtrlU, tcell.KeySUB: liveview.CtrlZ, tcell.KeyFF: liveview.CtrlL,
	}[event.Key()]
}
