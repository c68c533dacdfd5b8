package cmd

import (
	"bufio"
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/plan"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/tempfile"
)

var (
	queryLong = templates.LongDesc(`
		Sync once, then answer many questions: one a line on stdin, from a cache that
		stays live.

		Each line holds the flags of a "list" command, quoted as in a shell:
		--by, --where, --used-by, --unused-by, --cel-cost-limit, --count-by, -n, -A, -l, -o and its companions,
		--sort-by, --limit.
		An empty line lists everything. After each answer comes a line "---", with --null a
		NUL byte, so that a coprocess knows where it ends. Data can hold a line "---" too,
		which looks like an end; no answer holds a NUL with --null: one in data is printed
		as \u0000.

		A line that cannot be answered is answered by a Status object alone, in one line of
		JSON, and does not end the session; nor does one that is longer than 1 MiB. The
		end of stdin does, with exit code 0.

		What an answer warns of is printed on stderr, with the number of its line. A List,
		and counts, as JSON, YAML or KYAML have it in a member "warnings" as well.`)

	queryExample = templates.Examples(`
		# Ask three questions with one list of the pods
		printf '%s\n' '--by node=a -o name' '--by phase=Pending' '--count-by node' |
		  kubectl informer query pods -A

		# Ask the pods of all clusters of the kubeconfig
		printf '%s\n' '--count-by context,phase' '--by context=kind-a' |
		  kubectl informer query pods -A --contexts all

		# Ask from a bash script, whenever there is something to ask
		coproc Q { kubectl informer query pods -A --null; }
		exec {to}>&"${Q[1]}" {from}<&"${Q[0]}"
		ask() { echo "${*@Q}" >&$to; IFS= read -r -d '' -u $from a; printf %s "$a"; }
		n=$(ask --by node=node-1 -o name | wc -l)`)
)

// answerMemory is how many bytes of an answer are kept in memory until it is whole.
const answerMemory = 4 << 20

// queryFlags are the flags of the command `query`.
type queryFlags struct {
	resources *question.ResourceFlags
	streams   process.Streams
	null      bool
}

func newQuery(c *question.Connection, streams process.Streams) *cobra.Command {
	f := &queryFlags{resources: question.NewResourceFlags(c, streams), streams: streams}
	cmd := &cobra.Command{
		Use:     "query (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) [flags]",
		Short:   "Sync once, then answer a question for each line of stdin",
		Long:    queryLong,
		Example: queryExample,
		RunE:    f.resources.RunE(f.toOptions),
	}
	f.resources.AddFlags(cmd)
	f.resources.AddContextsFlag(cmd)
	c.AddDumpFlags(cmd)
	cmd.Flags().BoolVar(&f.null, "null", false, "End each answer with a NUL byte, which none holds, instead of a line \"---\", which data can hold.")
	f.resources.AddCompletions(cmd)
	return cmd
}

func (f *queryFlags) toOptions(_ *cobra.Command, args []string) (question.Runner, error) {
	resources, err := f.resources.ToOptions(args, match.ObjectOnly)
	return &queryOptions{resources: resources, streams: f.streams, null: f.null}, err
}

// queryOptions are queryFlags and arguments, parsed.
type queryOptions struct {
	resources *question.ResourceOptions
	streams   process.Streams
	null      bool
}

func (o *queryOptions) Run(ctx context.Context) error {
	q, err := o.resources.Resolve(ctx)
	if err != nil {
		return err
	}
	defer q.Close()
	for _, err := range q.Resolved.Unresolved {
		o.streams.Console.Ended(err)
	}
	s := &session{question: q, streams: o.streams, representation: cache.Whole}
	defer s.stop()
	defer q.WarnMisses()
	defer q.ReportStats()
	if s.caches, err = s.sync(ctx, s.representation); err != nil {
		return err
	}
	unresolved := process.Reported(errors.Join(q.Resolved.Unresolved...))
	if s.allEnded() {
		return errors.Join(unresolved, process.Reported(question.JoinFailures(s.caches.Failures())))
	}
	err = process.WriteOutput(ctx, o.streams.Out, func(ctx context.Context) error { return o.answerLines(ctx, s) })
	return errors.Join(err, unresolved, process.Reported(question.JoinFailures(s.caches.Failures())))
}

// answerLines reads questions and writes answers until stdin or ctx ends.
func (o *queryOptions) answerLines(ctx context.Context, s *session) error {
	lines := o.lines(ctx)
	out := bufio.NewWriterSize(o.streams.Out, 64<<10)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.caches.queue.Ready():
			s.caches.catchUp()
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			s.caches.catchUp()
			if err := o.answer(ctx, s, line, out); err != nil {
				return err
			}
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// answer writes one answer and its end. Only an error of the writer, or of the
// context, ends the session. An answer is written once it is whole: what fails
// half way is a Status and nothing else.
func (o *queryOptions) answer(ctx context.Context, s *session, line questionLine, out *bufio.Writer) error {
	answer := &answerWriter{to: out, null: o.null, last: '\n'}
	whole := &tempfile.Buffer{Memory: answerMemory}
	defer whole.Close()
	err := line.err
	if err == nil {
		err = s.answer(ctx, line, whole)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		err = writeStatus(s.streams, answer, line.text, err)
	default:
		_, err = whole.WriteTo(answer)
	}
	if err != nil {
		return err
	}
	_, err = out.WriteString(answer.end())
	return err
}

// session is the live caches that a query asks.
type session struct {
	question *question.Question
	streams  process.Streams
	// caches have every object with all its fields, and with what lines have asked
	// for besides: managedFields, and the server's cells for tables.
	caches         *live
	representation cache.Representation
}

// sync starts informers of all subjects, and waits for them.
func (s *session) sync(ctx context.Context, representation cache.Representation) (*live, error) {
	queue := informer.NewQueue(0)
	group, err := s.question.Start(ctx, true, informer.Options{Events: queue},
		func(cache.Target) ([]plan.Need, error) {
			return []plan.Need{{Reader: "query", Form: representation}}, nil
		})
	if err != nil {
		return nil, err
	}
	l := &live{Group: group, queue: queue, connections: question.NewConnections(s.streams.Console, true, s.question.Targets())}
	if err := l.connections.Await(ctx, queue); err != nil {
		s.release(l)
		return nil, err
	}
	s.question.Attach(queue, l.connections)
	return l, nil
}

// live is caches that are kept fresh, and what is known of their connections.
type live struct {
	*informer.Group
	queue       *informer.Queue
	connections *question.Connections
}

// catchUp takes what has become known of connections.
func (l *live) catchUp() {
	for event, ok := l.queue.Poll(); ok; event, ok = l.queue.Poll() {
		l.connections.See(event)
	}
}

func (l *live) stop() {
	l.Stop()
	l.connections.Close()
}

func (s *session) stop() {
	if s.caches != nil {
		s.caches.stop()
	}
}

// release stops caches that nobody asks any more.
func (s *session) release(caches *live) {
	caches.stop()
	s.question.Recorder.Release(caches.Group)
}

// allEnded says whether no Target can be answered for any more.
func (s *session) allEnded() bool {
	return len(s.caches.Failures()) == len(s.caches.Informers())
}
