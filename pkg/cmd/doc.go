// Package cmd is the plugin's commands: flags become options, options are run,
// errors become words and exit codes.
//
// There is a file for each command: list (and counts), tail (the stream of events,
// and its COMMAND), wait (the condition it waits for, hints about it, its output),
// query (its lines, and their answers), indexes, version, completion. In each, xxxFlags
// are what pflag fills; toOptions parses and validates them; what it returns is run and
// never changed.
//
// What they share: resources.go has the flags of every command that takes resources,
// resolve.go turns these into Targets, question.go starts the informers that answer;
// filter.go is --by and --where, from.go a dump in place of the cluster.
// connection.go reaches the cluster, transitions.go follows the informers'
// connections. console.go owns stderr, errors.go puts errors into words, exit.go has
// the sentinels and exit codes, timing.go the times that no flag sets.
package cmd
