// Package index is what --by, --index and --count-by mean: which indexes a type
// can have, what each reads of an object, and how a question is answered from
// an Indexer's sets.
//
// A Registry knows the indexes: the built-in ones, those a user defines, and
// every field path. A Query is the parsed --by flags; bound to a Target it says
// which indexes its Indexer must keep and in which form the objects are needed,
// and then selects. The package is pure: it does no I/O, starts no goroutine
// and never asks the time.
//
// # What a value is
//
// An object has a list of values in each index. A field that is missing or null
// gives none. A list gives the values of its elements; a map, and a list within
// a list, give none. Strings are taken as they are, numbers and booleans as
// JSON writes them. At a place where Kubernetes keeps quantities (see
// fieldpath.CanonicalQuantity) quantities are compared as values.
package index
