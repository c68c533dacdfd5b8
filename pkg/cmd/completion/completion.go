// Package completion answers shells that complete a command line: with types, names,
// namespaces, names of indexes, and the values that objects have in them. It answers in
// limited time, without a word on stderr, and with nothing that a shell would run.
package completion

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
)

// Program is the name under which kubectl asks a plugin for completions.
const Program = "kubectl_complete-informer"

const (
	// timeout is how long a shell waits for an answer.
	timeout = 1500 * time.Millisecond
	// grace is how much longer it waits for what pays no heed to its context, such
	// as a credential plugin that asks a person.
	grace = 100 * time.Millisecond
)

// IsRequest says whether a shell asks for completions with these arguments.
func IsRequest(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// Answer answers a shell on stdout. It lets execute find the answer, in limited time.
// An execute that is late is left to end with the process.
func Answer(ctx context.Context, args []string, stdout io.Writer, execute func(context.Context, io.Writer) int) int {
	if slices.Contains(args[:len(args)-1], "--") {
		// The words of a COMMAND: the shell knows files, we know nothing.
		return answerNothing(stdout, cobra.ShellCompDirectiveDefault)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var answer bytes.Buffer
	found := make(chan int, 1)
	go func() { found <- execute(ctx, &answer) }()
	select {
	case code := <-found:
		_, _ = answer.WriteTo(stdout) // a shell that has gone needs no answer
		return code
	case <-time.After(timeout + grace):
		return answerNothing(stdout, cobra.ShellCompDirectiveNoFileComp)
	}
}

// answerNothing is an answer without words, as cobra's scripts read it.
func answerNothing(stdout io.Writer, how cobra.ShellCompDirective) int {
	fmt.Fprintf(stdout, ":%d\n", how)
	return 0
}

// Flag completes the value of a flag that a command may have.
func Flag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if cmd.Flag(name) != nil {
		_ = cmd.RegisterFlagCompletionFunc(name, complete) // it fails for a flag that is not there
	}
}

// OneOf completes one of some words.
func OneOf(words ...string) cobra.CompletionFunc {
	return OneFound(func() ([]string, error) { return words, nil })
}

// OneFound completes one of the words that find returns.
func OneFound(find func() ([]string, error)) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		words, err := find()
		if err != nil {
			return nothing(err)
		}
		return matching(typed, words, 0)
	}
}

// ListOf completes a comma list of some words.
func ListOf(words ...string) cobra.CompletionFunc {
	return ListFound(func() ([]string, error) { return words, nil })
}

// ListFound completes a comma list of the words that find returns.
func ListFound(find func() ([]string, error)) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		words, err := find()
		if err != nil {
			return nothing(err)
		}
		return matching(typed, inList(typed, words), 0)
	}
}

// File leaves the completion of a file's name to the shell.
func File(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// Directory leaves the completion of a directory's name to the shell.
func Directory(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// matching answers with those words that continue what is typed. A word may be
// followed by a tab and its description. Where no word of ours fits, no file's
// name does.
func matching(typed string, words []string, how cobra.ShellCompDirective) ([]string, cobra.ShellCompDirective) {
	var fitting []string
	for _, word := range words {
		choice, _, _ := strings.Cut(word, "\t")
		if rest, fits := strings.CutPrefix(choice, typed); fits && shellSafe(rest) {
			fitting = append(fitting, word)
		}
	}
	return fitting, how | cobra.ShellCompDirectiveNoFileComp
}

// nothing is the answer when the words could not be found. Why is written only to
// the file that BASH_COMP_DEBUG_FILE names.
func nothing(why error) ([]string, cobra.ShellCompDirective) {
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
