// Package decode turns the bytes that an API server sends into rows: pages of
// lists, Tables, single objects and the events of a watch.
//
// It takes out of them only what a Representation needs, item by item, and drops
// managedFields before anything is decoded. It knows no HTTP: which content type
// came, and what was asked for, is the client's concern.
package decode
