// Package informer runs the shared informers of one invocation: one client-go
// SharedIndexInformer per Target, over a guard. It starts them, turns what
// handlers are called with into Events (classify.go), puts those and the
// transitions of each connection into one order (order.go) and one bounded queue
// for one reader (queue.go), and reads the Indexers in a stable order.
//
// It knows no HTTP and no error policy: its tests need no server.
package informer
