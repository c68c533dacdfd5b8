// Package cmd is the plugin's commands: flags become options, options are run,
// errors become words and exit codes.
//
// There is a file for each command (list, tail, wait, query, indexes, version,
// complete) and for what they share: ask.go the resource arguments, narrow.go
// what narrows the answer in the cache, connection.go and saved.go where objects
// come from, errors.go and hints.go what is said and the exit code.
package cmd
