// Package process is an invocation as the shell sees it: its streams, its signals, its
// words and its exit code.
//
// streams.go is stdin, stdout and stderr; console.go is the one owner of stderr; words.go
// puts errors into kubectl's words and says what to do next; exit.go has the errors that end
// commands and the exit codes; signals.go ends the invocation by its context, stops_*.go
// lets a shell stop it, reader_*.go notices that nobody reads. timing.go has the times that
// no flag sets.
package process
