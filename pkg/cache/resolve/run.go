package resolve

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// run is one Resolve. It is also the resource.RESTClientGetter of the builder,
// whose interfaces take no context: hence the context in a struct.
type run struct {
	ctx      context.Context
	known    *catalog
	request  Request
	scope    scope
	selector string
	// live says that discovery came from the server during this run, so that
	// there is nothing newer to be had; refreshed, that it did so for a miss.
	live, refreshed bool
	// final says that a miss is one for good: the builder is not run again.
	final bool
	// err is why discovery failed. It is not tried again in this run.
	err error
	// failed is nil until failures are asked for; reasonsBy is when the search
	// for their reasons ends.
	failed    map[schema.GroupVersion]error
	reasonsBy time.Time
	// shortcuts are kubectl's warnings of short names that several types have.
	shortcuts []string
	// unread are the errors for types that may be in groups that failed.
	unread []*DiscoveryError
}

func (r *run) resolve() (Result, error) {
	named := parse(r.request.Args)
	if err := r.completeCategories(named.types); err != nil {
		return Result{}, err
	}
	built := r.build(r.request.Args)
	r.final = true
	if built.Err() != nil && r.refreshed {
		// The builder asked for the missing type before we knew better.
		built = r.build(r.request.Args)
	}
	args, unresolved := r.resolvable(built)
	if len(unresolved) > 0 {
		r.request.Args, named = args, parse(args)
		built = r.build(args)
	}
	var singleItem bool
	infos, err := built.IntoSingleItemImplied(&singleItem).Infos()
	if isNameInAllNamespaces(err) {
		return Result{}, &NameInAllNamespacesError{Names: named.names, err: err}
	}
	visits, faults := r.visits(infos)
	targets := once(visits)
	aside, fatal := r.setAside(flatten(err, faults), len(targets) > 0)
	unresolved = append(unresolved, aside...)
	return Result{
		Targets:      targets,
		Visits:       visits,
		Unresolved:   unresolved,
		SingleItem:   singleItem && len(infos) == 1 && len(targets) == 1 && len(unresolved) == 0,
		FromCategory: r.fromCategory(targets),
		Namespaces:   r.scope.namespaces,
		Warnings:     r.warnings(named.types, targets),
	}, joinErrors(fatal)
}

// build makes of the request what kubectl's get makes of it, with two
// differences. Of several namespaces it is given one: see scope. Objects from
// files are not read again, and keep the namespace they have: see objectTargets.
func (r *run) build(args []string) *resource.Result {
	builder := resource.NewBuilder(r).Unstructured().ContinueOnError().Subresource(r.request.Subresource)
	files := r.request.Files
	if len(files.Filenames) > 0 || files.Kustomize != "" {
		builder.FilenameParam(false, &files).Flatten()
	} else {
		builder.NamespaceParam(r.scope.first()).DefaultNamespace().AllNamespaces(r.scope.all).
			LabelSelectorParam(r.selector).FieldSelectorParam(r.request.FieldSelector)
	}
	// The builder puts the members of a category into the slice it is given.
	return builder.ResourceTypeOrNameArgs(true, slices.Clone(args)...).Do()
}

// completeCategories refreshes discovery if a category is asked for while some
// group is missing from a cache: the group may be back, with members of it.
func (r *run) completeCategories(names []string) error {
	if len(names) == 0 {
		return nil
	}
	types, err := r.types()
	if err != nil {
		return err
	}
	for _, name := range names {
		if types.isCategory(name) && len(types.brokenGroups()) > 0 {
			_, err := r.refresh()
			return err
		}
	}
	return nil
}

func (r *run) types() (*types, error) {
	if r.err != nil {
		return nil, r.err
	}
	types, live, err := r.known.read(r.ctx)
	r.live, r.err = r.live || live, err
	return types, err
}

// refresh reads discovery from the server, once in a run. It returns the types
// as they are then.
func (r *run) refresh() (*types, error) {
	if !r.live {
		r.known.forget()
		r.live, r.refreshed = true, true
	}
	return r.types()
}

// ToRESTConfig leads to a server in memory, so that nothing is sent.
func (r *run) ToRESTConfig() (*rest.Config, error) {
	return &rest.Config{Host: "http://memory.invalid", QPS: -1, Transport: memoryServer{}}, nil
}

// ToDiscoveryClient returns the types as they were read, for categories.
func (r *run) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	types, err := r.types()
	if err != nil {
		return nil, err
	}
	return types.frozen, nil
}

// ToRESTMapper returns kubectl's mapper; a type that it does not know is looked
// for on the server once.
func (r *run) ToRESTMapper() (meta.RESTMapper, error) {
	types, err := r.types()
	if err != nil {
		return nil, err
	}
	expander := restmapper.NewShortcutExpander(types.mapper, types.known, r.warnOfShortcut)
	return refreshingMapper{RESTMapper: expander, run: r}, nil
}

// warnOfShortcut keeps a warning of kubectl's expander, once.
func (r *run) warnOfShortcut(warning string) {
	if !slices.Contains(r.shortcuts, warning) {
		r.shortcuts = append(r.shortcuts, warning)
	}
}

type refreshingMapper struct {
	meta.RESTMapper
	run *run
}

// RESTMapping is where each of the builder's searches ends, whatever it tried
// before: a miss here is one of the whole argument, or of an object in a file.
func (m refreshingMapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	mapping, err := m.RESTMapper.RESTMapping(gk, versions...)
	if !meta.IsNoMatchError(err) {
		return mapping, err
	}
	types, refreshErr := m.run.refresh()
	if refreshErr != nil {
		return nil, refreshErr
	}
	mapping, err = types.mapper.RESTMapping(gk, versions...)
	if !meta.IsNoMatchError(err) || m.run.refreshed && !m.run.final {
		return mapping, err
	}
	if failed := m.run.failures(types, gk.Group, versions); len(failed) > 0 {
		m.run.unread = append(m.run.unread, &DiscoveryError{Type: gk, Failed: failed})
		return nil, m.run.unread[len(m.run.unread)-1]
	}
	return nil, err
}

// unknownType is what kubectl says of a type that the server does not have.
func unknownType(gvr schema.GroupVersionResource) error {
	if gvr.Group == "" {
		return fmt.Errorf("the server doesn't have a resource type %q", gvr.Resource)
	}
	return fmt.Errorf("the server doesn't have a resource type %q in group %q", gvr.Resource, gvr.Group)
}
