package resolve

import (
	"context"
	"strings"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Request is what the command line asks for, as it was typed.
type Request struct {
	// Args are the resource arguments: TYPE[,TYPE…] [NAME…] or TYPE/NAME…
	Args []string
	// Files name the objects to ask the server for: -f, -k and -R.
	Files resource.FilenameOptions
	// Namespaces are the values of -n; each may hold several, joined by commas.
	// None means the namespace of the context.
	Namespaces    []string
	AllNamespaces bool
	// LabelSelectors are the values of -l: an object has to match all of them.
	LabelSelectors []string
	FieldSelector  string
	// Shard is the part of the objects that each Target is about.
	Shard cache.Shard
	// Subresource is what of each object is asked for: the objects have to be named.
	Subresource string
}

// Result is what a Request comes to.
type Result struct {
	// Targets come in the order of the arguments; the namespaces of one type, or
	// of one name, follow each other. None comes twice.
	Targets []cache.Target
	// Visits are the Targets in the order in which kubectl visits them, an object as
	// often as it is named.
	Visits []cache.Target
	// Unresolved are errors, each for an argument or a file whose type may be in a
	// group that discovery could not read. There are Targets beside them.
	Unresolved []error
	// SingleItem says that kubectl prints the one object itself, and not a List
	// that holds it.
	SingleItem bool
	// FromCategory are those Targets that no argument names but a category.
	FromCategory []cache.Target
	// Namespaces are those that namespaced types are looked for in, for "No
	// resources found in NAMESPACE namespace."; nil stands for all of them.
	Namespaces []string
	// Warnings are single lines for stderr, without the word "Warning".
	Warnings []string
}

// Resolver resolves Requests against one cluster. It reads discovery once and
// remembers it. It must not be used by several goroutines at a time.
type Resolver struct {
	getter genericclioptions.RESTClientGetter
	known  catalog
}

// New returns a Resolver for the cluster that the getter connects to. The
// getter's discovery client should be cached on disk, as kubectl's is.
func New(getter genericclioptions.RESTClientGetter) *Resolver {
	return &Resolver{getter: getter, known: catalog{getter: getter}}
}

// Resolve returns the Targets that the request names. A type that remembered or
// cached discovery does not know is looked for once more on the server.
//
// Errors are kubectl's, word for word, and errors of discovery as client-go
// returns them. Three have types: NoResourceError, NameInAllNamespacesError and
// DiscoveryError; the last does not keep what else is asked for from being
// answered: see Result.Unresolved. Where some of several files are at fault, the
// Result holds the Targets of the others beside the error.
func (r *Resolver) Resolve(ctx context.Context, req Request) (Result, error) {
	if len(req.Args) == 0 && len(req.Files.Filenames) == 0 && req.Files.Kustomize == "" {
		return Result{}, &NoResourceError{}
	}
	scope, err := r.scope(req)
	if err != nil {
		return Result{}, err
	}
	run := &run{ctx: ctx, known: &r.known, request: req, scope: scope, selector: joinSelectors(req.LabelSelectors)}
	return run.resolve()
}

// Refresh forgets what discovery said, on disk too: the next Resolve asks the
// server. It is for a caller that got a 404 for a type that Resolve had found:
// resolving again then fails in the words for a type that does not exist, or
// finds the version that is served now.
func (r *Resolver) Refresh() {
	r.known.forget()
}

// joinSelectors makes one selector of several: commas mean AND.
func joinSelectors(selectors []string) string {
	var parts []string
	for _, selector := range selectors {
		if selector = strings.TrimSpace(selector); selector != "" {
			parts = append(parts, selector)
		}
	}
	return strings.Join(parts, ",")
}
