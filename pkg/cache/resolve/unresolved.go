package resolve

import (
	"errors"
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/resource"
)

// resolvable returns the arguments without those whose type may be in a group that
// discovery could not read, and an error for each of these. The builder stops at the
// first of them; the types of healthy groups do not depend on it. Where nothing
// would be left, the arguments stay as they are, and the error is the builder's.
func (r *run) resolvable(built *resource.Result) (args []string, unresolved []error) {
	all := r.request.Args
	if !r.isDiscovery(built.Err()) {
		return all, nil
	}
	units, together := alone(all)
	for _, unit := range units {
		if err := r.build([]string{unit}).Err(); r.isDiscovery(err) {
			unresolved = append(unresolved, err)
			continue
		}
		args = append(args, unit)
	}
	if len(args) == 0 {
		return all, nil
	}
	if together {
		args = []string{strings.Join(args, ",")}
	}
	return args, unresolved
}

// alone divides arguments into those that mean something on their own. The second
// result says that they are types, which are one argument when they are asked for
// together. TYPE NAME… cannot be divided.
func alone(args []string) (units []string, together bool) {
	switch {
	case len(args) == 0:
		return nil, false
	case strings.Contains(args[0], "/"):
		return args, false
	case len(args) == 1:
		return resource.SplitResourceArgument(args[0]), true
	}
	return nil, false
}

// setAside parts the errors of discovery from the others, where there is something
// to answer without what they are about.
func (r *run) setAside(faults []error, answered bool) (unresolved, fatal []error) {
	for _, fault := range faults {
		if answered && r.isDiscovery(fault) {
			unresolved = append(unresolved, fault)
		} else {
			fatal = append(fatal, fault)
		}
	}
	return unresolved, fatal
}

// isDiscovery says whether an error is a DiscoveryError of this run. Of the errors of
// files the builder keeps the words alone.
func (r *run) isDiscovery(err error) bool {
	return err != nil && slices.ContainsFunc(r.unread, func(unread *DiscoveryError) bool {
		return errors.Is(err, unread) || strings.HasSuffix(err.Error(), ": "+unread.Error())
	})
}
