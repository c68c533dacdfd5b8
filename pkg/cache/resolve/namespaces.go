package resolve

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/rest"
)

// scope is where namespaced types are looked for.
type scope struct {
	all bool
	// namespaces is empty if all is set.
	namespaces []string
	// explicit namespaces bind objects from files: theirs must be one of them.
	explicit bool
}

// scope takes the namespaces from -n, else from the context, the pod that we
// run in, or "default", in that order; the last three are clientcmd's doing.
func (r *Resolver) scope(req Request) (scope, error) {
	if req.AllNamespaces {
		return scope{all: true}, nil
	}
	if len(req.Namespaces) > 0 {
		namespaces, err := splitNamespaces(req.Namespaces)
		return scope{namespaces: namespaces, explicit: true}, err
	}
	namespace, _, err := r.getter.ToRawKubeConfigLoader().Namespace()
	return scope{namespaces: []string{namespace}}, err
}

// splitNamespaces splits at commas and drops repetitions. A name that cannot be
// part of a path is an error, in client-go's words.
func splitNamespaces(values []string) ([]string, error) {
	var namespaces []string
	for _, namespace := range strings.Split(strings.Join(values, ","), ",") {
		namespace = strings.TrimSpace(namespace)
		problems := rest.IsValidPathSegmentName(namespace)
		if namespace == "" {
			problems = []string{"may not be empty"}
		}
		if len(problems) > 0 {
			return nil, fmt.Errorf("invalid namespace %q: %v", namespace, problems)
		}
		if !slices.Contains(namespaces, namespace) {
			namespaces = append(namespaces, namespace)
		}
	}
	return namespaces, nil
}

// first is the namespace that the builder is run with: the others only repeat
// what it finds there.
func (s scope) first() string {
	if s.all {
		return ""
	}
	return s.namespaces[0]
}

// of returns the namespaces in which an argument's type or name is looked for.
func (s scope) of(info *resource.Info) []string {
	if s.all || !info.Namespaced() {
		return []string{""}
	}
	return s.namespaces
}

// ofObject returns the namespaces in which an object from a file is looked for:
// its own, or ours if it has none. kubectl's error if -n forbids its own.
func (s scope) ofObject(info *resource.Info) ([]string, error) {
	if !info.Namespaced() || info.Namespace == "" {
		return s.of(info), nil
	}
	if s.explicit && !slices.Contains(s.namespaces, info.Namespace) {
		return nil, resource.RequireNamespace(strings.Join(s.namespaces, ","))(info, nil)
	}
	return []string{info.Namespace}, nil
}
