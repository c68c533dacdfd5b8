package cmd

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// hint says what to do next about an error, in one line; most need none.
func hint(err error) string {
	var (
		failure    *cache.SyncError
		noResource *resolve.NoResourceError
		everywhere *resolve.NameInAllNamespacesError
	)
	switch {
	case errors.As(err, new(alreadySaid)):
		return ""
	case errors.As(err, &noResource):
		return `hint: name a type, as in "list pods"; "kubectl api-resources" lists all`
	case errors.As(err, &everywhere):
		return fmt.Sprintf("hint: an index finds a name in all namespaces: --by name=%s -A", strings.Join(everywhere.Names, " --by name="))
	case !errors.As(err, &failure):
		return ""
	}
	switch {
	case apierrors.IsForbidden(failure.Err):
		return missingRule(failure.Target)
	case failure.Fault == cache.Invalid && isFieldUnknown(failure.Err):
		return fmt.Sprintf("hint: the server cannot select %s by this field; select in the cache instead: %s",
			failure.Target.Resource.Resource, asBy(failure.Target.FieldSelector))
	}
	return ""
}

// isFieldUnknown knows what servers say of a field that they cannot select by:
// of custom resources and old types in one way, of others in another.
func isFieldUnknown(err error) bool {
	text := err.Error()
	return strings.Contains(text, "field label not supported") || strings.Contains(text, "is not a known field selector")
}

// asBy spells a field selector as flags that select in the cache.
func asBy(selector string) string {
	parsed, err := fields.ParseSelector(selector)
	if err != nil {
		return "--by PATH=VALUE"
	}
	var flags []string
	for _, requirement := range parsed.Requirements() {
		operator := "="
		if requirement.Operator == selection.NotEquals {
			operator = "!="
		}
		flags = append(flags, "--by "+requirement.Field+operator+requirement.Value)
	}
	return strings.Join(flags, " ")
}

// missingRule names the RBAC rule that would allow a Target.
func missingRule(t cache.Target) string {
	kind, where := "ClusterRole", "for the whole cluster"
	if t.Namespace != "" {
		kind, where = "Role", fmt.Sprintf("in namespace %q", t.Namespace)
	}
	rule := fmt.Sprintf("apiGroups: [%q], resources: [%q], verbs: [list, watch]", t.Resource.Group, t.Resource.Resource)
	if t.Name != "" {
		rule += fmt.Sprintf(", resourceNames: [%q]", t.Name)
	}
	return fmt.Sprintf("hint: this needs a %s with the rule {%s} %s", kind, rule, where)
}
