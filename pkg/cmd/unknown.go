package cmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// unknownCommandTimeout bounds the look into discovery for the sake of a hint.
const unknownCommandTimeout = 2 * time.Second

// resourceAsCommandError is an unknown command that is the name of a resource type,
// or TYPE/NAME: "list" was left out.
type resourceAsCommandError struct {
	error
	resource string
}

// explainUnknownCommand adds to the error of a first word that is no command whether
// it names resources.
func explainUnknownCommand(ctx context.Context, root *cobra.Command, c *connection, words []string, err error) error {
	if _, _, unknown := root.Find(words); unknown == nil {
		return err
	}
	// Nothing has been parsed yet: of the flags, the connection's count here, and those
	// of the command that was meant do not.
	flags := pflag.NewFlagSet(root.Name(), pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	flags.AddFlagSet(root.PersistentFlags())
	if flags.Parse(words) != nil || flags.NArg() == 0 || root.PersistentPreRunE(root, nil) != nil {
		return err
	}
	word := flags.Arg(0)
	if !isBuiltin(ctx, word) && (len(root.SuggestionsFor(word)) > 0 || !isServed(ctx, c, word)) {
		return err
	}
	root.DisableSuggestions = true // what looks like the word was not meant
	_, _, err = root.Find(words)
	return &resourceAsCommandError{err, word}
}

// isBuiltin says whether a word names types that each cluster has. It asks no cluster.
func isBuiltin(ctx context.Context, word string) bool {
	types, err := dump.Read(ctx, nil, strings.NewReader(""))
	return err == nil && names(ctx, resolve.New(types.Getter()), word)
}

// isServed says whether a word names types of the cluster at hand, by what kubectl's
// cache of discovery knows, or else the server.
func isServed(ctx context.Context, c *connection, word string) bool {
	ctx, cancel := context.WithTimeout(ctx, unknownCommandTimeout)
	defer cancel()
	return names(ctx, resolve.New(c.getter()), word)
}

func names(ctx context.Context, types *resolve.Resolver, word string) bool {
	resolved, err := types.Resolve(ctx, resolve.Request{Args: []string{word}})
	return err == nil && len(resolved.Targets) > 0
}
