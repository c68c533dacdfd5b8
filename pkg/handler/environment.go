package handler

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// The variables that a run finds in its environment.
const (
	varEvent           = "INFORMER_EVENT"
	varNamespace       = "INFORMER_NAMESPACE"
	varName            = "INFORMER_NAME"
	varKind            = "INFORMER_KIND"
	varAPIVersion      = "INFORMER_API_VERSION"
	varResourceVersion = "INFORMER_RESOURCE_VERSION"
	varInitial         = "INFORMER_INITIAL"
	varSince           = "INFORMER_SINCE"
	varContext         = "INFORMER_CONTEXT"
)

// maxValue is the longest value, in bytes, that goes into the environment.
// Linux refuses to start a program with a string of 128 KiB in it.
const maxValue = 4 << 10

// variables are what the environment says of an event, as KEY=value. A value
// that is too long or holds a control character is left out: a name cut short
// would be another object's, and stdin has it whole. INFORMER_NAMESPACE is
// empty for a cluster-scoped object; INFORMER_INITIAL is there only when true,
// INFORMER_SINCE only for what happened before the stream began, and INFORMER_CONTEXT only
// where several clusters are followed.
func variables(event cache.Event) []string {
	var set []string
	add := func(name, value string) {
		if isPlain(value) {
			set = append(set, name+"="+value)
		}
	}
	add(varEvent, string(event.Type))
	add(varNamespace, event.Row.Namespace)
	add(varName, event.Row.Name)
	add(varKind, event.Row.Kind)
	add(varAPIVersion, event.Row.APIVersion)
	add(varResourceVersion, event.Row.ResourceVersion)
	if event.Initial {
		add(varInitial, "true")
	}
	if event.Since != "" {
		add(varSince, string(event.Since))
	}
	if event.Target.Context != "" {
		add(varContext, event.Target.Context)
	}
	return set
}

// isPlain says whether a value is safe to be one line of short text.
func isPlain(value string) bool {
	return len(value) <= maxValue && utf8.ValidString(value) && !strings.ContainsFunc(value, unicode.IsControl)
}

// withoutOurs returns an environment without our variables, which are another
// event's when we were started by a COMMAND ourselves.
func withoutOurs(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case varEvent, varNamespace, varName, varKind, varAPIVersion, varResourceVersion, varInitial, varSince, varContext:
			return true
		}
		return false
	})
}
