// Package printers turns lists, events and counts into bytes, as kubectl does.
//
// It decorates the printers of cli-runtime and of kubectl's get command rather
// than replace them: the tables, documents and templates are theirs, and what
// `list` prints equals what `kubectl get` prints. Ours are the order (several
// sort keys), the stream of events, JSON lines, and the care for terminals.
//
// The package knows no client and no informer: rows come in, bytes go out.
// Rows are shared with a cache, and nothing here changes them.
package printers
