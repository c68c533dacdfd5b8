package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// consoleTo returns a console whose stderr is a writer.
func consoleTo(stderr io.Writer) *console {
	return newConsole(Streams{IOStreams: genericiooptions.IOStreams{ErrOut: stderr}})
}

// sharedTerminal returns the streams of a command whose stdout and stderr are one
// terminal, and what has been written to it.
func sharedTerminal() (Streams, *bytes.Buffer) {
	var terminal bytes.Buffer
	return Streams{
		IOStreams:     genericiooptions.IOStreams{Out: &terminal, ErrOut: &terminal},
		OutIsTerminal: true,
		ErrIsTerminal: true,
	}.owned(), &terminal
}

func TestProgressLineMixesWithNothing(t *testing.T) {
	for name, write := range map[string]func(Streams){
		"data":              func(s Streams) { fmt.Fprintln(s.Out, "a line") },
		"a notice":          func(s Streams) { s.console.say("a line") },
		"what COMMAND says": func(s Streams) { fmt.Fprintln(s.console.foreign(), "a line") },
		"kubectl's words":   func(s Streams) { fmt.Fprintln(s.ErrOut, "a line") },
	} {
		t.Run(name, func(t *testing.T) {
			streams, terminal := sharedTerminal()
			streams.console.showProgress("listing pods: 1")
			write(streams)
			streams.console.showProgress("listing pods: 2")
			write(streams)
			streams.console.close()
			streams.console.showProgress("listing pods: 3")
			progress := eraseLine + "listing pods: "
			if want := progress + "1" + eraseLine + "a line\n" + progress + "2" + eraseLine + "a line\n"; terminal.String() != want {
				t.Errorf("got  %q\nwant %q", terminal.String(), want)
			}
		})
	}
}

func TestProgressLineIsNotShownWithinALineAndOurWordsBeginOne(t *testing.T) {
	streams, terminal := sharedTerminal()
	fmt.Fprint(streams.Out, "no newline")
	streams.console.showProgress("listing pods: 1")
	fmt.Fprint(streams.console.foreign(), ", and no other")
	streams.console.warn("something")
	if want := "no newline, and no other\nWarning: something\n"; terminal.String() != want {
		t.Errorf("got %q, want %q", terminal.String(), want)
	}
}

func TestProgressLineStaysOnOneRow(t *testing.T) {
	streams, terminal := sharedTerminal()
	streams.console.showProgress(strings.Repeat("x", 200))
	if got := len(strings.TrimPrefix(terminal.String(), eraseLine)); got != 79 {
		t.Errorf("the line has %d columns", got)
	}
}

func TestDataThatIsNotOnTheTerminalLeavesTheProgressLineAlone(t *testing.T) {
	var out, terminal bytes.Buffer
	streams := Streams{IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &terminal}, ErrIsTerminal: true}.owned()
	streams.console.showProgress("listing pods: 1")
	fmt.Fprintln(streams.Out, "data")
	if got := terminal.String(); got != eraseLine+"listing pods: 1" || out.String() != "data\n" {
		t.Errorf("terminal %q, stdout %q", got, out.String())
	}
}

// pieces is a writer that a line mixed with another would show in.
type pieces struct {
	mu    sync.Mutex
	lines map[string]int
	part  string
}

func (p *pieces) Write(text []byte) (int, error) {
	for _, b := range text {
		p.mu.Lock()
		p.part += string(b)
		if b == '\n' {
			p.lines[p.part]++
			p.part = ""
		}
		p.mu.Unlock()
	}
	return len(text), nil
}

func TestLinesOfManyAreNotMixed(t *testing.T) {
	written := &pieces{lines: map[string]int{}}
	streams := Streams{IOStreams: genericiooptions.IOStreams{Out: written, ErrOut: written}, OutIsTerminal: true, ErrIsTerminal: true}.owned()
	console := streams.console
	var writers sync.WaitGroup
	const times = 200
	for _, write := range []func(){
		func() { fmt.Fprintln(streams.Out, "data") },
		func() { console.say("notice") },
		func() { console.warn("ours") },
		func() { fmt.Fprintln(console.foreign(), "command") },
		func() { fmt.Fprintln(console, "log") },
	} {
		writers.Go(func() {
			for range times {
				write()
			}
		})
	}
	writers.Wait()
	for _, line := range []string{"data", "notice", "Warning: ours", "command", "log"} {
		if got := written.lines[line+"\n"]; got != times {
			t.Errorf("%q was written %d times", line, got)
		}
	}
}

func TestServersWarningsAreSaidOnceAndCounted(t *testing.T) {
	var stderr bytes.Buffer
	console := consoleTo(&stderr)
	for range 2 {
		console.server.HandleWarningHeader(299, "", "deprecated")
	}
	console.warnOnce("ours")
	console.warnOnce("ours")
	console.sayOnce("")
	if want := "Warning: deprecated\nWarning: ours\n"; stderr.String() != want || console.server.WarningCount() != 1 {
		t.Errorf("stderr %q, counted %d", stderr.String(), console.server.WarningCount())
	}
}

func TestEndDoesNotWaitForATerminalThatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, terminal := io.Pipe()
		console := consoleTo(terminal)
		var said sync.WaitGroup
		said.Go(func() { console.say("nobody reads this") })
		synctest.Wait()
		began := time.Now()
		console.showProgress("listing pods: 1")
		console.close()
		if took := time.Since(began); took != drainTime {
			t.Errorf("it took %v", took)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		said.Wait()
	})
}
