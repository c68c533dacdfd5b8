// Package match decides what is true of an object, or of a change to one: the
// CEL expressions of --where, the paths of --changed, the conditions of --for,
// and how many objects of a live set have to meet them. It is pure: it does no
// I/O, starts no goroutine and never asks the time.
//
// Objects are read where they are and never changed. Everything but a Tally may
// be used by many goroutines at once. What is said about an object ("why") is
// one short line without control characters, so that it can go to a terminal.
package match
