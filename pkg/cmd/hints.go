package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// asked is what hints know of the command that met an error.
type asked struct {
	command string
	// follows says that it watches what it has listed.
	follows bool
}

// askedBy describes a command whose flags have been parsed.
func askedBy(cmd *cobra.Command) asked {
	by := asked{command: cmd.Name(), follows: cmd.Name() != "list"}
	for _, flag := range []string{"watch", "watch-only"} {
		if set, err := cmd.Flags().GetBool(flag); err == nil && set {
			by.follows = true
		}
	}
	return by
}

// hint says what to do next about an error, in one line; most need none.
func hint(err error, by asked) string {
	var (
		failure    *cache.SyncError
		noResource *resolve.NoResourceError
		everywhere *resolve.NameInAllNamespacesError
	)
	switch {
	case errors.As(err, new(alreadySaid)):
		return ""
	case errors.As(err, &noResource):
		return fmt.Sprintf(`hint: name a type, as in "%s pods"; "kubectl api-resources" lists all`, by.command)
	case errors.As(err, &everywhere):
		return fmt.Sprintf("hint: an index finds a name in all namespaces: --by name=%s -A", strings.Join(everywhere.Names, " --by name="))
	case !errors.As(err, &failure):
		return ""
	}
	switch {
	case apierrors.IsForbidden(failure.Err):
		return missingRule(failure.Target, by.follows)
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
		flags = append(flags, "--by "+toValues(requirement.Field)+operator+requirement.Value)
	}
	return strings.Join(flags, " ")
}

// toValues is a path to values where the field is known to hold a list of maps,
// which have none.
func toValues(field string) string {
	switch field[strings.LastIndex(field, ".")+1:] {
	case "containers", "initContainers", "ephemeralContainers":
		return field + "[*].image"
	}
	return field
}

// missingRule names the RBAC rule that would allow a Target to be listed, and to
// be watched where it is followed.
func missingRule(t cache.Target, follows bool) string {
	kind, where := "ClusterRole", "for the whole cluster"
	if t.Namespace != "" {
		kind, where = "Role", fmt.Sprintf("in namespace %q", t.Namespace)
	}
	verbs := "list"
	if follows {
		verbs = "list, watch"
	}
	rule := fmt.Sprintf("apiGroups: [%q], resources: [%q], verbs: [%s]", t.Resource.Group, t.Resource.Resource, verbs)
	if t.Name != "" {
		rule += fmt.Sprintf(", resourceNames: [%q]", t.Name)
	}
	return fmt.Sprintf("hint: this needs a %s with the rule {%s} %s", kind, rule, where)
}
