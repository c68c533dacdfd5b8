// Package cmd is the plugin's commands: flags become options, options are run.
//
// There is a file, or a few, for each: list (its counts, its live view), tail (the stream
// of events, its COMMAND, its state, its leader), wait (the condition it waits for, its
// output), query (its lines, and their answers), indexes, health, version. In each, xxxFlags
// are what pflag fills; toOptions parses and validates them; what it returns is run and
// never changed.
//
// What commands share is below: package question is what they ask of a cluster, package
// process the streams, words, signals and exit codes.
package cmd
