// Package client asks an API server for the objects of one Target in one
// Representation, each as a *cache.Row, and never retries: a guard stands round it.
//
// A Connection counts, dials, and knows whether the server was ever reached; a
// Client holds the shared http.Client and makes a guard.Source of a Target and a
// Representation. It knows requests and content types; package decode makes rows of
// what comes. Every list is a *cache.RowList, whatever the Representation, so
// that an informer's expected type is always &cache.Row{}.
package client
