// Package dump answers from manifests, or from what was saved of a cluster,
// where other packages ask a server.
//
// Read turns files into a Dump. A Dump stands in for the server in two places:
// its Getter offers discovery, made of Kubernetes' built-in types, of the
// CustomResourceDefinitions in the dump, and of guesses for the rest; and its
// ListerWatchers list the objects and then watch what never changes. Informers,
// indexes and printers above them are the same as for a cluster.
//
// Objects are kept as JSON and decoded when they are looked at: a dump may hold
// far more of them than a question asks for.
package dump
