// Package source makes a ListerWatcher of a Target and a Representation, for
// the reflector inside client-go's informers.
//
// It has two layers. The lower one knows HTTP: a Connection counts and dials,
// a Client holds the shared http.Client, a resource asks for one Target in one
// form, once, and never retries. The upper one is the guard, which knows no
// HTTP: it wraps the resource so that the reflector sees only success, the end
// of the context, or an expired resourceVersion. Whatever else happens the guard
// reports, waits for its pace, and tries again; what is fatal is for the
// receiver of the reports to say, by ending the context.
//
// Every object is a *cache.Row and every list a *cache.RowList, whatever the
// Representation, so that an informer's expected type is always &cache.Row{}.
package source
