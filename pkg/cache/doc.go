// Package cache is the vocabulary of the plugin: what is asked for (Target,
// Representation), what the Indexer holds (Row), what a stream reports (Event),
// and what went wrong with a request (Fault, SyncError).
//
// It is the lowest floor: it imports apimachinery and nothing else, does no
// I/O and starts no goroutine. The packages below it fill these types:
// resolve makes Targets, plan chooses Representations, decode makes Rows, guard
// and informer make Events.
package cache
