package process

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
)

// consoleOn returns a console whose stderr is a writer.
func consoleOn(stderr io.Writer) *Console {
	return NewConsole(Streams{IOStreams: genericiooptions.IOStreams{ErrOut: stderr}})
}

// sharedTerminal returns the streams of a command whose stdout and stderr are one
// terminal, and what has been written to it.
func sharedTerminal() (Streams, *bytes.Buffer) {
	var terminal bytes.Buffer
	return Streams{
		IOStreams:     genericiooptions.IOStreams{Out: &terminal, ErrOut: &terminal},
		OutIsTerminal: true,
		ErrIsTerminal: true,
	}.Owned(), &terminal
}

func TestProgressLineMixesWithNothing(t *testing.T) {
	for name, write := range map[string]func(Streams){
		"data":              func(s Streams) { fmt.Fprintln(s.Out, "a line") },
		"a notice":          func(s Streams) { s.Console.Say("a line") },
		"what COMMAND says": func(s Streams) { fmt.Fprintln(s.Console.Foreign(), "a line") },
		"kubectl's words":   func(s Streams) { fmt.Fprintln(s.ErrOut, "a line") },
	} {
		t.Run(name, func(t *testing.T) {
			streams, terminal := sharedTerminal()
			streams.Console.ShowProgress("listing pods: 1")
			write(streams)
			streams.Console.ShowProgress("listing pods: 2")
			write(streams)
			streams.Console.Close()
			streams.Console.ShowProgress("listing pods: 3")
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
	streams.Console.ShowProgress("listing pods: 1")
	fmt.Fprint(streams.Console.Foreign(), ", and no other")
	streams.Console.Warn("something")
	if want := "no newline, and no other\nWarning: something\n"; terminal.String() != want {
		t.Errorf("got %q, want %q", terminal.String(), want)
	}
}

func TestProgressLineStaysOnOneRow(t *testing.T) {
	streams, terminal := sharedTerminal()
	streams.Console.ShowProgress(strings.Repeat("x", 200))
	if got := len(strings.TrimPrefix(terminal.String(), eraseLine)); got != 79 {
		t.Errorf("the line has %d columns", got)
	}
}

func TestDataThatIsNotOnTheTerminalLeavesTheProgressLineAlone(t *testing.T) {
	var out, terminal bytes.Buffer
	streams := Streams{IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &terminal}, ErrIsTerminal: true}.Owned()
	streams.Console.ShowProgress("listing pods: 1")
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
	streams := Streams{IOStreams: genericiooptions.IOStreams{Out: written, ErrOut: written}, OutIsTerminal: true, ErrIsTerminal: true}.Owned()
	console := streams.Console
	var writers sync.WaitGroup
	const times = 200
	for _, write := range []func(){
		func() { fmt.Fprintln(streams.Out, "data") },
		func() { console.Say("notice") },
		func() { console.Warn("ours") },
		func() { fmt.Fprintln(console.Foreign(), "command") },
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
	console := consoleOn(&stderr)
	for range 2 {
		console.Server.HandleWarningHeader(299, "", "deprecated")
	}
	console.WarnOnce("ours")
	console.WarnOnce("ours")
	console.SayOnce("")
	if want := "Warning: deprecated\nWarning: ours\n"; stderr.String() != want || console.Server.WarningCount() != 1 {
		t.Errorf("stderr %q, counted %d", stderr.String(), console.Server.WarningCount())
	}
}

func TestEndDoesNotWaitForATerminalThatIsNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, terminal := io.Pipe()
		console := consoleOn(terminal)
		var said sync.WaitGroup
		said.Go(func() { console.Say("nobody reads this") })
		synctest.Wait()
		began := time.Now()
		console.ShowProgress("listing pods: 1")
		console.Close()
		if took := time.Since(began); took != drainTime {
			t.Errorf("it took %v", took)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		said.Wait()
	})
}

// slowList is a Source whose second page takes its time.
type slowList time.Duration

func (s slowList) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	list := &cache.RowList{Items: []*cache.Row{{}}}
	if options.Continue == "" {
		list.Continue, list.RemainingItemCount = "more", new(int64(1500))
		return list, nil
	}
	select {
	case <-time.After(time.Duration(s)):
		return list, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (slowList) WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewFake(), nil
}

func (slowList) Diagnose(error) guard.Diagnosis                        { return guard.Diagnosis{} }
func (slowList) Reached() bool                                         { return true }
func (slowList) Served(context.Context) (bool, error)                  { return true, nil }
func (slowList) LatestResourceVersion(context.Context) (string, error) { return "", nil }

func TestASyncThatTakesLongShowsHowFarItIsAndLeavesNoTrace(t *testing.T) {
	for _, test := range []struct {
		takes time.Duration
		shown bool
	}{{100 * time.Millisecond, false}, {3 * time.Second, true}} {
		synctest.Test(t, func(t *testing.T) {
			group, err := informer.Start(t.Context(), []informer.Spec{{Target: shopPods, Source: slowList(test.takes), PageSize: 1}},
				informer.Options{Events: informer.NewQueue(0)})
			if err != nil {
				t.Fatal(err)
			}
			defer group.Stop()
			var terminal bytes.Buffer
			<-ShowProgress(t.Context(), consoleOn(&terminal), group)
			text := terminal.String()
			if shown := strings.Contains(text, "listing pods: 1 of 1501"); shown != test.shown {
				t.Errorf("a sync of %v shows %q", test.takes, text)
			}
			if test.shown && !strings.HasSuffix(text, eraseLine) {
				t.Errorf("the line stays: %q", text)
			}
		})
	}
}

func TestWhatACommandWritesIsItsOwn(t *testing.T) {
	streams, terminal := sharedTerminal()
	if _, err := streams.Console.Foreign().Write([]byte(eraseLine)); err != nil || terminal.String() != eraseLine {
		t.Errorf("%q, %v", terminal.String(), err)
	}
}
