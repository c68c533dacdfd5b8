package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// lineFlags are the flags of one question.
type lineFlags struct {
	by, where     []string
	uses          question.Uses
	namespaces    []string
	allNamespaces bool
	selectors     []string
	countBy       string
	costLimit     match.CostLimit
	print         *printers.Flags

	// query is --by; within is --by and -n, for types that are in namespaces.
	query, within index.Query
	// asked are these for each context, with the values of the objects there that they
	// refer to.
	asked    map[string]askedIn
	matches  *match.Where
	selected labels.Selector
	// unable are the types that a line with these flags cannot be asked of.
	unable map[cache.Target]bool
	// absent is filled by the answer, and warnings with what it warns of.
	absent   question.Absences
	warnings []string
}

// askedIn is what a line asks of the objects of one cluster.
type askedIn struct{ query, within index.Query }

// parseLine parses a line as a shell would split it, and `list` take it. Nothing
// in it is ever expanded or run. A limit of the cost of expressions is the
// session's, unless the line has its own.
func parseLine(line string, limit match.CostLimit) (*lineFlags, error) {
	words, err := shellquote.Split(line)
	if err != nil {
		return nil, err
	}
	f := &lineFlags{print: printers.NewFlags(), selected: labels.Everything()}
	flags := f.flags(limit)
	switch err := flags.Parse(words); {
	case errors.Is(err, pflag.ErrHelp):
		return nil, errors.New(`a line holds the flags of "list", which has the --help for them`)
	case err != nil:
		return nil, err
	case flags.NArg() > 0:
		return nil, errors.New("a line holds flags only, not " + display.Shorten(flags.Arg(0), maxQuoted))
	}
	if err := validateCountBy(flags, f.countBy); err != nil {
		return nil, err
	}
	if err := f.print.Validate(); err != nil {
		return nil, err
	}
	if err := f.parseQueries(); err != nil {
		return nil, err
	}
	if f.matches, err = f.costLimit.Compile(match.ObjectOnly, f.where...); err != nil {
		return nil, err
	}
	return f, f.parseSelectors()
}

func (f *lineFlags) flags(limit match.CostLimit) *pflag.FlagSet {
	cmd := &cobra.Command{Use: "query"}
	flags := cmd.Flags()
	flags.SetOutput(io.Discard)
	flags.StringArrayVar(&f.by, "by", nil, "")
	flags.StringArrayVar(&f.where, "where", nil, "")
	f.uses.AddFlags(flags)
	question.AddCostLimitFlag(flags, &f.costLimit, limit)
	flags.StringVar(&f.countBy, "count-by", "", "")
	flags.StringSliceVarP(&f.namespaces, "namespace", "n", nil, "")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "")
	flags.StringArrayVarP(&f.selectors, "selector", "l", nil, "")
	f.print.AddFlags(cmd)
	f.print.AddListFlags(cmd)
	return flags
}

func (f *lineFlags) parseQueries() (err error) {
	if f.allNamespaces {
		f.namespaces = nil
	}
	within := slices.Clone(f.by)
	for _, namespace := range f.namespaces {
		within = append(within, "namespace="+namespace)
	}
	if f.query, err = index.ParseQuery(f.by); err != nil {
		return err
	}
	f.within, err = index.ParseQuery(within)
	return err
}

// parseSelectors makes one selector of all -l: an object has to match each.
func (f *lineFlags) parseSelectors() error {
	for _, text := range f.selectors {
		selector, err := labels.Parse(text)
		if err != nil {
			return err
		}
		requirements, _ := selector.Requirements()
		f.selected = f.selected.Add(requirements...)
	}
	return nil
}

// scope is where the line looks. A session has no objects of other namespaces
// than its own: nothing found there would be no answer.
func (f *lineFlags) scope(session printers.Scope) (printers.Scope, error) {
	own := session.Namespaces // none stands for all
	switch {
	case f.allNamespaces && len(own) > 0:
		return session, errors.New(`this session does not have all namespaces: start "query" with -A`)
	case len(f.namespaces) == 0:
		return session, nil
	}
	for _, namespace := range f.namespaces {
		if len(own) > 0 && !slices.Contains(own, namespace) {
			return session, fmt.Errorf(`this session does not have the namespace %q: start "query" with -n %s, or with -A`, namespace, namespace)
		}
	}
	return printers.Scope{Contexts: session.Contexts, Namespaces: f.namespaces}, nil
}

// queryFor is what the line asks of the objects of a type.
func (f *lineFlags) queryFor(t cache.Target) index.Query {
	asked, known := f.asked[t.Context]
	if !known {
		asked = askedIn{f.query, f.within}
	}
	if t.Namespaced {
		return asked.within
	}
	return asked.query
}

// narrows says whether the line asks for some objects only.
func (f *lineFlags) narrows(t cache.Target) bool {
	return !f.queryFor(t).Empty() || !f.uses.Empty() || len(f.where) > 0 || len(f.selectors) > 0
}

// warn notes what the line's expressions missed, and hints unless they are not wanted.
func (f *lineFlags) warn(quiet bool) {
	f.warnings = append(f.warnings, f.absent.Notices()...)
	if !quiet {
		f.warnings = append(f.warnings, f.absent.Hints()...)
	}
	if missed := question.Missed(f.matches); missed != "" {
		f.warnings = append(f.warnings, missed)
	}
}

const (
	// maxLine is how many bytes a question may have: many times what one needs,
	// and little enough to hold whatever comes on stdin.
	maxLine = 1 << 20
	// maxQuoted and maxMessage are how many characters of a word of a bad line,
	// and of all that is said of it, are in its answer.
	maxQuoted  = 100
	maxMessage = 4000
)

// questionLine is a line of stdin, without its end, or why there is none.
type questionLine struct {
	// number counts the lines of stdin, from 1.
	number int
	text   string
	err    error
}

// lines reads stdin in a goroutine of its own: a read cannot be interrupted. It
// ends with stdin, or when something comes after ctx has ended.
func (o *queryOptions) lines(ctx context.Context) <-chan questionLine {
	lines := make(chan questionLine)
	go func() {
		defer close(lines)
		in := bufio.NewReaderSize(o.streams.In, 64<<10)
		for number := 1; ; number++ {
			line, err := readLine(in)
			line.number = number
			if line.text != "" || line.err != nil {
				line.text = strings.TrimRight(line.text, "\r\n")
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if line.err != nil {
				err = skipLine(ctx, in)
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads a line with its end; err is that of the reader. Of a line that
// is longer than maxLine it reads no more than that: the rest is to be skipped.
func readLine(in *bufio.Reader) (line questionLine, err error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(text)+len(part) > maxLine {
			if err == nil {
				// The end of the line has been read with it.
				err = in.UnreadByte()
			}
			return questionLine{err: process.ErrLongLine}, ignoreFull(err)
		}
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return questionLine{text: string(text)}, err
		}
	}
}

// skipLine reads to the end of a line, or until something comes after ctx has ended.
func skipLine(ctx context.Context, in *bufio.Reader) error {
	for {
		_, err := in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func ignoreFull(err error) error {
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil
	}
	return err
}
