// Package resolve turns the resource arguments of a command line into Targets.
//
// The parsing is kubectl's own: its resource.Builder, from cli-runtime, runs
// over a connection that answers from memory, and every request that it would
// have sent is a Target. Lists, categories, names, files, namespaces and the
// words of every error are therefore kubectl's. What the builder learns of the
// server's types comes from one read of discovery, through kubectl's disk cache.
//
// The package sends no request but discovery's, and none at all while that
// cache is warm and knows the types asked for.
package resolve
