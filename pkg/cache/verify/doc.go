// Package verify compares caches with their server: it lists the metadata of a type
// once more, and says in which objects the cache is not what the server has.
//
// After one list both have to be the same as of one resourceVersion (Once). A cache that
// is kept up to date by a watch is always a little behind, and what it holds is of no
// single resourceVersion: there a difference counts only if it lasts (Keeper).
package verify
