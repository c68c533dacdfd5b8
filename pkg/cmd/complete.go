package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const (
	// completionTime is how long a shell waits for an answer.
	completionTime = 1500 * time.Millisecond
	// completionGrace is how much longer it waits for what pays no heed to its
	// context, such as a credential plugin that asks a person.
	completionGrace = 100 * time.Millisecond
)

// isCompletion says whether a shell asks for completions with these words.
func isCompletion(words []string) bool {
	return len(words) > 0 && (words[0] == cobra.ShellCompRequestCmd || words[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete answers a shell. It lets execute find the answer, in limited time and
// with nothing on stderr, where it would be in the midst of the user's typing.
// An execute that is late is left to end with the process.
func complete(ctx context.Context, words []string, streams Streams, execute func(context.Context, Streams) int) int {
	if slices.Contains(words[:len(words)-1], "--") {
		// The words of a COMMAND: the shell knows files, we know nothing.
		return answerNothing(streams, cobra.ShellCompDirectiveDefault)
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	var answer bytes.Buffer
	quiet := Streams{IOStreams: genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &answer, ErrOut: io.Discard}}
	found := make(chan int, 1)
	go func() { found <- execute(ctx, quiet) }()
	select {
	case code := <-found:
		_, _ = answer.WriteTo(streams.Out) // a shell that has gone needs no answer
		return code
	case <-time.After(completionTime + completionGrace):
		return answerNothing(streams, cobra.ShellCompDirectiveNoFileComp)
	}
}

// answerNothing is an answer without words, as cobra's scripts read it.
func answerNothing(streams Streams, how cobra.ShellCompDirective) int {
	fmt.Fprintf(streams.Out, ":%d\n", how)
	return 0
}

// offer answers with those words that continue what is typed. A word may be
// followed by a tab and its description. Where no word of ours fits, no file's
// name does.
func offer(typed string, words []string, how cobra.ShellCompDirective) ([]string, cobra.ShellCompDirective) {
	var fitting []string
	for _, word := range words {
		choice, _, _ := strings.Cut(word, "\t")
		if rest, fits := strings.CutPrefix(choice, typed); fits && shellSafe(rest) {
			fitting = append(fitting, word)
		}
	}
	return fitting, how | cobra.ShellCompDirectiveNoFileComp
}

// offerNothing is the answer when the words could not be found. Why is told only to
// the file that BASH_COMP_DEBUG_FILE names.
func offerNothing(why error) ([]string, cobra.ShellCompDirective) {
	cobra.CompDebugln(why.Error(), false)
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// shellSafe says whether text means itself in every shell. What somebody has put into
// a cluster, in an annotation say, must not be run by whoever presses Tab: bash
// puts what several words have in common into the line unquoted, and cobra's
// script evaluates the line to ask again.
func shellSafe(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.,:/=@%+", r)
	})
}

// inList makes of words those that continue a comma list with what it does not
// hold yet.
func inList(typed string, words []string) []string {
	end := strings.LastIndexByte(typed, ',') + 1
	listed := strings.Split(typed[:end], ",")
	var lists []string
	for _, word := range words {
		if !slices.Contains(listed, word) {
			lists = append(lists, typed[:end]+word)
		}
	}
	return lists
}
