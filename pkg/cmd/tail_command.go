package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// commandFlags are the flags of `tail … -- COMMAND`.
type commandFlags struct {
	parallel, retries           int
	commandTimeout, gracePeriod time.Duration
	once                        bool
	cooldown                    time.Duration
}

func (f *commandFlags) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.parallel, "parallel", handler.DefaultParallel, "With a COMMAND, how many objects to handle at once.")
	flags.IntVar(&f.retries, "retries", handler.DefaultRetries,
		"With a COMMAND, how often to retry a failed run, after a growing delay. -1 is without limit.")
	flags.DurationVar(&f.commandTimeout, "command-timeout", 0, "With a COMMAND, end a run that takes longer. 0 is never.")
	flags.DurationVar(&f.gracePeriod, "grace-period", handler.DefaultGracePeriod,
		"With a COMMAND, how long runs have to end by themselves: at the end, and after SIGTERM. A second Ctrl-C cuts it short.")
	flags.BoolVar(&f.once, "once", false,
		"With a COMMAND, run it at most once for each object and type of event, as long as this command lives. A run that failed does not count. A deletion is never left out.")
	flags.DurationVar(&f.cooldown, "cooldown", 0,
		"With a COMMAND, start no other run for an object for this long after one that succeeded. Its newest state is handled then, if it still matches; its deletion at once.")
}

// split splits what stands behind -- from the resource arguments. The flags of runs
// need a COMMAND.
func (f *commandFlags) split(cmd *cobra.Command, args []string) (resources, command []string, err error) {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		for _, name := range []string{"parallel", "retries", "command-timeout", "grace-period", "once", "cooldown"} {
			if cmd.Flags().Changed(name) {
				return nil, nil, fmt.Errorf("--%s needs a COMMAND: tail TYPE -- COMMAND", name)
			}
		}
		return args, nil, nil
	}
	resources, command = args[:dash], args[dash:]
	switch {
	case len(command) == 0:
		return nil, nil, errors.New("there is no COMMAND after --")
	case cmd.Flags().Changed("output"):
		return nil, nil, errors.New("-o cannot be used with a COMMAND: it reads the event as JSON on stdin")
	}
	for _, name := range []string{"template", "allow-missing-template-keys", "color", "label-columns", "no-headers", "show-kind", "show-labels"} {
		if cmd.Flags().Changed(name) {
			return nil, nil, fmt.Errorf("--%s cannot be used with a COMMAND: it reads the event as JSON on stdin", name)
		}
	}
	if cmd.Flags().Changed("sync-events") {
		return nil, nil, errors.New("--sync-events cannot be used with a COMMAND: it is run for objects alone")
	}
	return resources, command, nil
}

// toOptions is how command is run, which reads events as asJSON prints them; nil
// where there is no command.
func (f *commandFlags) toOptions(command []string, asJSON *printers.Flags, streams process.Streams) (*handler.Options, error) {
	if len(command) == 0 {
		return nil, nil
	}
	o := &handler.Options{
		Command:        command,
		Parallel:       f.parallel,
		Retries:        f.retries,
		CommandTimeout: f.commandTimeout,
		GracePeriod:    f.gracePeriod,
		Once:           f.once,
		Cooldown:       f.cooldown,
		Processes:      streams.Processes,
		Stdout:         streams.Out,
		Stderr:         streams.Console.Foreign(),
		Encode: func(event cache.Event) ([]byte, error) {
			var text bytes.Buffer
			printer, err := asJSON.NewEventPrinter(&text, printers.EventOptions{})
			if err != nil {
				return nil, err
			}
			err = printer.Print(event)
			return text.Bytes(), err
		},
		GivenUp: func(event cache.Event, code int, err error) {
			reason := err.Error()
			if reason == fmt.Sprintf("exit status %d", code) {
				reason = fmt.Sprintf("exit code %d", code)
			} else {
				reason = fmt.Sprintf("%s (exit code %d)", reason, code)
			}
			streams.Console.Say("error: gave up on %s of %s: %s", event.Type, nameOf(event), reason)
		},
	}
	return o, o.Validate()
}

// newHandler makes the handler that runs COMMAND, and has what it has handled noted; nil
// where there is no COMMAND.
func (o *tailOptions) newHandler(m *stateKeeper) (*handler.Handler, error) {
	if o.command == nil {
		return nil, nil
	}
	// Without it a reader of our output that goes would end us, and leave the
	// commands that run behind.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	options := *o.command
	options.Done = func(event cache.Event) { m.handled(event) }
	return handler.New(options)
}

// nameOf names an object as kubectl does, with its namespace.
func nameOf(event cache.Event) string {
	name := fmt.Sprintf("%s %q", event.Target.Resource.GroupResource(), event.Row.Name)
	if event.Row.Namespace != "" {
		name += fmt.Sprintf(" in namespace %q", event.Row.Namespace)
	}
	return name + event.Target.InContext()
}

// toCommand hands events to COMMAND until something ends the stream, and then
// ends as that asks for: a signal, whenever it comes, stops the runs; the end of
// the stream lets them finish; --timeout, which is in ctx and not in signalled,
// leaves them the grace period.
func (s *stream) toCommand(signalled, ctx context.Context, h *handler.Handler) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(signalled, stop)()
	ended := make(chan error, 1)
	go func() { ended <- h.Run(running) }()

	streaming, cancel := context.WithCancel(ctx)
	defer cancel()
	streamed := make(chan error, 1)
	go func() { streamed <- s.run(streaming, s.handTo(h)) }()

	var err error
	select {
	case err = <-streamed:
	case err := <-ended: // by a signal, or since nobody reads what the commands write
		cancel()
		<-streamed
		return errors.Join(err, signalled.Err())
	}
	if signalled.Err() == nil {
		err = errors.Join(endOf(ctx, s.question, err), s.drain(signalled, ctx, h))
	}
	return errors.Join(err, <-ended, signalled.Err())
}

// drain waits for the runs at the end of a stream, and reports what they did not do.
func (s *stream) drain(signalled, ctx context.Context, h *handler.Handler) error {
	unhandled := h.Drain(ctx)
	if signalled.Err() != nil {
		return nil
	}
	if unhandled > 0 && isTimeUp(ctx) {
		s.streams.Console.Say("%d objects had changes that COMMAND was not run for: the time was up", unhandled)
	}
	if failed := h.Failed(); failed > 0 {
		return process.Reported(fmt.Errorf("COMMAND failed for %d objects", failed))
	}
	return nil
}

// handTo hands events to the handler, and reports once how many objects wait.
func (s *stream) handTo(h *handler.Handler) func([]printers.PreparedEvent) error {
	behind := false
	s.owes = h.Owes
	return func(events []printers.PreparedEvent) error {
		for _, event := range events {
			h.Add(event.Event)
		}
		if pending := h.Pending(); !behind && pending > s.maxPending {
			behind = true
			s.streams.Console.Say("COMMAND is slower than objects change: %d objects wait, each with its newest state", pending)
		}
		return nil
	}
}
