// Package question is what every command that takes resources asks: its flags, resolved
// against a cluster, and the informers that answer.
//
// resources.go has the flags; connection.go reaches the cluster, from.go and
// replay_flags.go put a dump or a record in its place. resolve.go turns arguments into
// Targets and bind.go --by into indexes of each; question.go plans and starts the informers,
// pushdown.go leaves to the server what it can decide. transitions.go follows the informers'
// connections. filter.go is --by and --where of what has come, counts.go --count-by,
// related.go and uses.go the objects that an answer depends on besides, named.go those that
// are asked for by name, look.go and definitions.go what is looked at once beside the
// question, verify.go the comparison with the server. absences.go says of what is not there
// how it was most likely meant. stats.go and metrics.go report what all of it has cost,
// completion.go asks for the sake of a shell.
package question
