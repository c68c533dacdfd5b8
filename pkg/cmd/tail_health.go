package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
)

// healthPeriod is how often the health file is touched.
const healthPeriod = 2 * time.Second

// healthFile is a file whose modification time says when the stream was last known to
// be healthy. What nil does, without --health-file, is nothing.
type healthFile struct {
	path    string
	console *process.Console
	// healthy says whether the stream is healthy at present; nil where it is not yet.
	healthy atomic.Pointer[func() bool]
	failing bool
}

func newHealthFile(path string, console *process.Console) *healthFile {
	if path == "" {
		return nil
	}
	return &healthFile{path: path, console: console}
}

// addHealthFlag adds --health-file.
func addHealthFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "health-file", "",
		"Touch this file every two seconds while all types are synced and connected, or while another replica leads. The file is empty, and is removed at the end. A probe of a container asks for it by the command health.")
	_ = cmd.MarkFlagFilename("health-file")
}

// validateHealthFile says what cannot be meant by --health-file.
func (f *tailFlags) validateHealthFile(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("health-file"):
		return nil
	case f.healthFile == "":
		return errors.New("--health-file needs the name of a FILE")
	case f.state.untilSynced:
		return errors.New("--health-file cannot be used with --until-synced: the stream ends when it is synced, and its exit code says how it went")
	}
	for _, name := range []string{"state", "record", "metrics-file"} {
		other, err := cmd.Flags().GetString(name)
		if err == nil && other != "" && filepath.Clean(other) == filepath.Clean(f.healthFile) {
			return fmt.Errorf("--health-file needs a FILE of its own, %s is that of --%s", f.healthFile, name)
		}
	}
	return nil
}

// begin touches the file from now on whenever the stream is healthy. end removes the
// file. What an earlier run has left behind is removed first: it says nothing of this one.
func (h *healthFile) begin(ctx context.Context) (end func(), err error) {
	if h == nil {
		return func() {}, nil
	}
	if err := h.prepare(); err != nil {
		return nil, fmt.Errorf("--health-file: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { h.run(ctx) })
	return func() {
		cancel()
		running.Wait()
		if err := h.remove(); err != nil {
			h.console.Say("cannot remove the health file: %v", err)
		}
	}, nil
}

// prepare checks that the file can be created, and is none that somebody needs.
func (h *healthFile) prepare() error {
	if err := h.remove(); err != nil {
		return err
	}
	if err := h.create(); err != nil {
		return err
	}
	return h.remove()
}

// remove removes the file, unless it is none that we have made.
func (h *healthFile) remove() error {
	info, err := os.Lstat(h.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() > 0:
		return fmt.Errorf("%s is no health file, which would be empty; name another one", h.path)
	}
	return os.Remove(h.path)
}

func (h *healthFile) create() error {
	file, err := os.OpenFile(h.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return file.Close()
}

func (h *healthFile) run(ctx context.Context) {
	tick := time.NewTicker(healthPeriod)
	defer tick.Stop()
	for {
		if healthy := h.healthy.Load(); healthy != nil && (*healthy)() {
			h.touch()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// touch says that the stream is healthy now. That it cannot be said is reported once.
func (h *healthFile) touch() {
	now := time.Now()
	err := os.Chtimes(h.path, now, now)
	if errors.Is(err, fs.ErrNotExist) {
		if err = h.create(); err == nil {
			err = os.Chtimes(h.path, now, now)
		}
	}
	if err != nil && !h.failing {
		h.console.Say("cannot touch the health file: %v", err)
	}
	h.failing = err != nil
}

// is has the file touched while healthy says so.
func (h *healthFile) is(healthy func() bool) {
	if h != nil {
		h.healthy.Store(&healthy)
	}
}

// follow has the file touched while all Targets, of all contexts, are synced and
// connected. One that has ended will not be either again.
func (h *healthFile) follow(q *question.Question, group *informer.Group) {
	h.is(func() bool {
		if !q.Complete() {
			return false
		}
		for _, i := range group.Informers() {
			if i.Failure() != nil || !i.Connected() {
				return false
			}
		}
		return true
	})
}

// service is a stream that something else watches over.
type service struct {
	question.Runner
	health *healthFile
}

func (s *service) Run(ctx context.Context) error {
	end, err := s.health.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	return s.Runner.Run(ctx)
}
