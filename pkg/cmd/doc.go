// Package cmd is the plugin's commands: flags become options, options are run,
// errors become words and exit codes.
//
// There is a file for each command: list (and counts), tail (the stream of events,
// and its COMMAND), wait (and the condition it waits for), query (its lines, and
// their answers), indexes, version, completion. In each, xxxFlags are what pflag
// fills, toOptions parses and validates them, and what they return is run and never changed.
//
// What they share: resources.go has the flags of every command that takes resources,
// question.go what these are on the cluster, and the informers that answer it;
// filter.go is --by and --where, references.go --by with @, from.go a dump in place of
// the cluster. connection.go reaches the cluster, discovery.go waits for its types,
// connections.go follows the informers' connections. console.go owns stderr,
// errors.go puts errors into words, exit.go has the sentinels and exit codes.
package cmd
