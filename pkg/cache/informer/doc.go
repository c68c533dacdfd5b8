// Package informer runs the shared informers of one invocation: one client-go
// SharedIndexInformer per Target. It starts them, decides what an error means
// for the Target it happened to (policy.go), turns what handlers are called
// with into Events (classify.go), holds those in a bounded queue for one reader
// (queue.go), and reads the Indexers in a stable order.
//
// It is handed ListerWatchers and indexers as values and knows no HTTP: its
// tests need no server.
package informer
