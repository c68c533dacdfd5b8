package resolve

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/discovery"
)

// NoResourceError says that the request has neither arguments nor files.
type NoResourceError struct{}

// Error is what kubectl's get says. What it says before that names commands,
// and is left to whoever knows the name of this one.
func (*NoResourceError) Error() string { return "Required resource not specified." }

// NameInAllNamespacesError says that a name was given together with -A: the
// server can get one object of one namespace only.
type NameInAllNamespacesError struct {
	// Names are the names that were given, without repetitions.
	Names []string
	err   error
}

// Error is what kubectl's get says.
func (e *NameInAllNamespacesError) Error() string { return e.err.Error() }

// Unwrap returns the builder's own error.
func (e *NameInAllNamespacesError) Unwrap() error { return e.err }

// isNameInAllNamespaces knows the builder's error by its words: it has no type.
func isNameInAllNamespaces(err error) bool {
	return err != nil && err.Error() == "a resource cannot be retrieved by name across all namespaces"
}

// IsUnknownType knows by its words the error for a type that the server does not
// have: the builder's has no type.
func IsUnknownType(err error) bool {
	return err != nil && strings.HasPrefix(err.Error(), "the server doesn't have a resource type ")
}

// DiscoveryError says that a type is not among those that discovery could read,
// and that it could not read all.
type DiscoveryError struct {
	// Type is the resource or kind asked for, with its group if one was given.
	Type schema.GroupKind
	// Failed are the versions of groups in which it may be, and why they could
	// not be read.
	Failed map[schema.GroupVersion]error
}

// Error names the type, the versions that failed, and the server's reasons.
func (e *DiscoveryError) Error() string {
	return fmt.Sprintf("unable to look up resource type %q: %v", e.Type.String(), e.Unwrap())
}

// Unwrap returns client-go's error for the same failures.
func (e *DiscoveryError) Unwrap() error {
	return &discovery.ErrGroupDiscoveryFailed{Groups: e.Failed}
}

// flatten returns the errors that err and faults are made of.
func flatten(err error, faults []error) []error {
	if all := utilerrors.Flatten(utilerrors.NewAggregate(append([]error{err}, faults...))); all != nil {
		return all.Errors()
	}
	return nil
}

// joinErrors returns one error as it is, and several as kubectl puts them.
func joinErrors(errs []error) error {
	all := utilerrors.NewAggregate(errs)
	if all == nil {
		return nil
	}
	return utilerrors.Reduce(all)
}
