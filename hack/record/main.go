// Command record runs a few commands in a terminal, on a local cluster of its own,
// and draws what the terminal showed, and when, as an animated SVG.
//
//	go run ./hack/record FILE.svg
//
// The plugin must have been built into bin/ (`make build`). Linux only.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/workloads"
)

// The size of the terminal: programs are told it, and the picture has it.
const (
	columns = 100
	rows    = 30
)

// readingTime is how long a command stands there alone, and how long its output
// before the next one.
const readingTime = 1500 * time.Millisecond

// longestWait is how much is left of a time in which nothing happens.
const longestWait = 2 * time.Second

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: record FILE.svg")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string) (err error) {
	fmt.Fprintln(os.Stderr, "starting a control plane")
	c, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := c.Stop(); err == nil {
			err = stopErr
		}
	}()
	if err := c.Load(ctx, workloads.Demo); err != nil {
		return err
	}
	kubeconfig, err := c.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Namespace: "shop"})
	if err != nil {
		return err
	}
	programs, err := cluster.ControlPlaneDir()
	if err != nil {
		return err
	}
	bin, err := filepath.Abs("bin")
	if err != nil {
		return err
	}
	s := &screen{environ: append(os.Environ(),
		"KUBECONFIG="+kubeconfig, "TERM=xterm-256color",
		"PATH="+bin+string(os.PathListSeparator)+programs+string(os.PathListSeparator)+os.Getenv("PATH"))}
	for _, scene := range scenes() {
		if err := s.play(ctx, scene); err != nil {
			return err
		}
	}
	return os.WriteFile(file, draw(s.lines, s.now+2*readingTime), 0o644)
}

// screen is what the terminal has shown up to now.
type screen struct {
	environ []string
	lines   []line
	now     time.Duration
}

// line is one line of the terminal, and when it was complete.
type line struct {
	text string
	at   time.Duration
}

func (s *screen) add(text string, at time.Duration) {
	s.lines = append(s.lines, line{text: text, at: at})
}

// play shows a scene: its command, then what the command prints, as it comes.
func (s *screen) play(ctx context.Context, scene scene) error {
	if len(s.lines) > 0 {
		s.add("", s.now)
	}
	s.add(comment+"# "+scene.about+plain, s.now)
	s.add(prompt+"$ "+scene.command+plain, s.now)
	s.now += readingTime
	meanwhile := make(chan error, 1)
	go func() { meanwhile <- s.change(ctx, scene.meanwhile) }()
	written, err := inTerminal(ctx, s.environ, scene.command)
	if err != nil {
		return fmt.Errorf("%s: %w", scene.command, err)
	}
	if err := <-meanwhile; err != nil {
		return err
	}
	var last time.Duration
	for _, one := range written {
		s.now += min(one.at-last, longestWait)
		last = one.at
		// Lines that came together appear together.
		s.add(one.text, s.now.Truncate(50*time.Millisecond))
	}
	s.now = s.now.Truncate(50*time.Millisecond) + readingTime
	return nil
}

// change runs what happens to the cluster while a command runs.
func (s *screen) change(ctx context.Context, changes []change) error {
	for _, change := range changes {
		select {
		case <-time.After(change.after):
		case <-ctx.Done():
			return ctx.Err()
		}
		cmd := exec.CommandContext(ctx, "sh", "-c", change.command)
		cmd.Env = s.environ
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", change.command, err, output)
		}
	}
	return nil
}
