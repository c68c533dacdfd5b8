// Package source asks an API server for the objects of one Target in one form,
// each as a *cache.Row, and never retries: a guard is to stand round it.
//
// A Connection counts, dials, and knows whether the server was ever reached; a
// Client holds the shared http.Client and makes a guard.Source of a Target and a
// Representation. Every list is a *cache.RowList, whatever the Representation, so
// that an informer's expected type is always &cache.Row{}.
package source
