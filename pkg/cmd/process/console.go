package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/rest"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// eraseLine returns to the start of a terminal's line and erases it.
const eraseLine = "\r\x1b[K"

// Console is the one owner of stderr: all words of an invocation go through it,
// and so does the data where stdout is on the same terminal. What one call writes
// is never mixed with what another does, words of ours begin a line, and the
// progress line, which is always the last one, is erased before anything else is
// written.
type Console struct {
	stderr io.Writer
	// Server prints the warnings of the server, ours our own, both as kubectl does.
	Server serverWarnings
	ours   *printers.WarningPrinter
	// turn is full while somebody writes. It is a channel, not a mutex, so that the
	// end of the invocation need not wait for a terminal that does not take it.
	turn chan struct{}

	// Whoever has the turn may use what follows.

	// inLine says that what was written last is not a whole line.
	inLine bool
	// progress says that the progress line is on the terminal, closed that there
	// will be none any more.
	progress, closed bool
	once             map[string]bool
	// diverted gets the words instead of the terminal, while something else is on it.
	diverted func(text string)
	// aside says that the terminal gets none of it meanwhile.
	aside bool
}

// serverWarnings handles the warning headers of responses, and counts them.
type serverWarnings interface {
	rest.WarningHandler
	WarningCount() int
}

// NewConsole returns the owner of streams.ErrOut.
func NewConsole(streams Streams) *Console {
	c := &Console{stderr: streams.ErrOut, turn: make(chan struct{}, 1), once: map[string]bool{}}
	colour := printers.AllowsColorOutput(streams.ErrOut)
	// What they write is escaped before they colour it.
	c.Server = escapedWarnings{rest.NewWarningWriter(lines{c}, rest.WarningWriterOptions{Deduplicate: true, Color: colour})}
	c.ours = printers.NewWarningPrinter(lines{c}, printers.WarningPrinterOptions{Color: colour})
	return c
}

// escapedWarnings escapes the warnings of the server.
type escapedWarnings struct{ serverWarnings }

// HandleWarningHeader prints one warning.
func (w escapedWarnings) HandleWarningHeader(code int, agent, text string) {
	w.serverWarnings.HandleWarningHeader(code, agent, display.Escape(text, ""))
}

// Say writes a line.
func (c *Console) Say(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

// SayOnce writes a line that has not been said yet; an empty one is none.
func (c *Console) SayOnce(line string) {
	if line != "" && c.first(line) {
		c.Say("%s", line)
	}
}

// Warn writes a warning of our own.
func (c *Console) Warn(message string) { c.ours.Print(display.Escape(message, "")) }

// WarnOnce writes a warning that has not been said yet.
func (c *Console) WarnOnce(message string) {
	if c.first(message) {
		c.Warn(message)
	}
}

func (c *Console) first(text string) bool {
	c.turn <- struct{}{}
	defer c.release()
	again := c.once[text]
	c.once[text] = true
	return !again
}

// Ended says why a Target has ended that others outlive.
func (c *Console) Ended(err error) {
	c.SayOnce(Words(err))
	c.SayOnce(Hint(err, Asked{Follows: true}))
}

// Write writes whole lines of our own, the log's or kubectl's. They may quote
// anything that a cluster holds, and are escaped wherever they go.
func (c *Console) Write(p []byte) (int, error) { return display.Messages(lines{c}).Write(p) }

// lines writes whole lines as they are.
type lines struct{ *Console }

func (c lines) Write(p []byte) (int, error) {
	c.turn <- struct{}{}
	defer c.release()
	if c.inLine {
		p = append([]byte{'\n'}, p...)
		n, err := c.write(c.stderr, p)
		return max(n-1, 0), err
	}
	return c.write(c.stderr, p)
}

// release gives the turn to whoever waits for it.
func (c *Console) release() { <-c.turn }

// Divert hands words to another place, until the function that it returns is called;
// and to stderr only where that is no terminal. There is no progress line from then on.
func (c *Console) Divert(to func(text string), terminal bool) (restore func()) {
	c.set(func() {
		c.erase()
		c.closed, c.diverted, c.aside = true, to, terminal
	})
	return func() { c.set(func() { c.diverted = nil }) }
}

func (c *Console) set(change func()) {
	c.turn <- struct{}{}
	defer c.release()
	change()
}

// write writes to stderr, or to the terminal that both are on.
func (c *Console) write(to io.Writer, p []byte) (int, error) {
	if c.diverted != nil {
		c.diverted(string(p))
		if c.aside {
			return len(p), nil
		}
	}
	c.erase()
	if len(p) > 0 {
		c.inLine = p[len(p)-1] != '\n'
	}
	return ourOutput{to}.Write(p)
}

// erase erases the progress line.
func (c *Console) erase() {
	if c.progress {
		c.progress = false
		fmt.Fprint(c.stderr, eraseLine)
	}
}

// ShowProgress shows or renews the progress line. It does nothing while others
// write or a line is unfinished: the next time will do.
func (c *Console) ShowProgress(text string) {
	select {
	case c.turn <- struct{}{}:
		defer c.release()
	default:
		return
	}
	if c.closed || c.inLine {
		return
	}
	if width := c.width(); len(text) >= width {
		text = text[:width-1] // a line that is broken in two could not be erased
	}
	c.progress = true
	fmt.Fprint(c.stderr, eraseLine, text)
}

// hideProgress erases the progress line.
func (c *Console) hideProgress() {
	c.turn <- struct{}{}
	defer c.release()
	c.erase()
}

// width is how many columns the terminal has.
func (c *Console) width() int {
	if file, ok := c.stderr.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80
}

// Close ends the progress line. It does not wait for long: a write that nobody
// reads has the turn until the process ends.
func (c *Console) Close() {
	select {
	case c.turn <- struct{}{}:
		defer c.release()
		c.erase()
		c.closed = true
	case <-time.After(drainTime):
	}
}

// throughConsole passes on what is not ours in turn with the console's words: the
// data where stdout is on the same terminal, and what COMMANDs write to stderr.
type throughConsole struct {
	console *Console
	to      io.Writer
}

// Write passes p on as it is.
func (w throughConsole) Write(p []byte) (int, error) {
	w.console.turn <- struct{}{}
	defer w.console.release()
	return w.console.write(w.to, p)
}

// Foreign is stderr for what COMMANDs write.
func (c *Console) Foreign() io.Writer { return throughConsole{c, c.stderr} }

// ourOutput is our own stdout or stderr, whose errors are outputErrors.
type ourOutput struct{ to io.Writer }

func (w ourOutput) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		err = &outputError{err}
	}
	return n, err
}

// ShowProgress shows on a console how far a sync is, until all Targets have synced
// or ended, or ctx ends. The returned channel is closed when the line is gone.
func ShowProgress(ctx context.Context, console *Console, group *informer.Group) <-chan struct{} {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_ = group.WaitSettled(ctx)
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-time.After(progressAfter):
		case <-ctx.Done():
			return
		}
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		defer console.hideProgress()
		for {
			if text := progressOf(group); text != "" {
				console.ShowProgress(text)
			} else {
				console.hideProgress()
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ended
}

// progressOf says for each Target that has not synced how many objects have
// come, and of how many where the server says. It is empty where all have.
func progressOf(group *informer.Group) string {
	var parts []string
	for _, i := range group.Informers() {
		if i.Settled() {
			continue
		}
		objects, remaining := i.Progress()
		part := fmt.Sprintf("%s: %d", i.Target.Resource.Resource, objects)
		if remaining > 0 {
			part += fmt.Sprintf(" of %d", int64(objects)+remaining)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	const shown = 3
	if more := len(parts) - shown; more > 0 {
		parts = append(parts[:shown], fmt.Sprintf("and %d more types", more))
	}
	return display.Escape("listing "+strings.Join(parts, ", "), "")
}
