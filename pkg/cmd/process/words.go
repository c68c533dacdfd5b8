package process

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/selection"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// Flatten returns the errors that are each to be reported.
func Flatten(err error) []error {
	//nolint:errorlint // an aggregate inside another error is reported by that one
	if aggregate, ok := err.(utilerrors.Aggregate); ok {
		return utilerrors.Flatten(aggregate).Errors()
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, one := range joined.Unwrap() {
			errs = append(errs, Flatten(one)...)
		}
		return errs
	}
	return []error{err}
}

// kubectlsFatal guards a package variable of kubectl's: what its CheckErr does
// with the words it finds.
var kubectlsFatal sync.Mutex

// Words says an error as kubectl says it, by kubectl's own code.
func Words(err error) string {
	if errors.As(err, new(alreadyReported)) {
		return ""
	}
	context := contextOf(err)
	//nolint:errorlint // where it is not the outermost one, its words are in those of the others
	if of, ok := err.(*cache.ContextError); ok {
		err = of.Err
	}
	kubectlsFatal.Lock()
	defer kubectlsFatal.Unlock()
	var text string
	cmdutil.BehaviorOnFatal(func(message string, _ int) { text = message })
	defer cmdutil.DefaultBehaviorOnFatal()
	cmdutil.CheckErr(bare(err))
	// kubectl's builder takes the program for kubectl.
	text = strings.ReplaceAll(text, filepath.Base(os.Args[0])+" get ", "kubectl informer list ")
	text = WithoutUserinfo(strings.TrimSuffix(text, "\n"))
	if named := fmt.Sprintf("context %q", context); context != "" && !strings.Contains(text, named) {
		text = named + ": " + text
	}
	return text
}

// contextOf is the context of the cluster that an error is about, where several are
// asked; else it is empty.
func contextOf(err error) string {
	var of *cache.ContextError
	var failure *cache.SyncError
	switch {
	case errors.As(err, &of):
		return of.Context
	case errors.As(err, &failure):
		return failure.Target.Context
	}
	return ""
}

// bare finds the error kubectl has words for: it looks at the error itself and
// never at what it wraps.
func bare(err error) error {
	var failure *cache.SyncError
	failed := errors.As(err, &failure)
	if failed && failure.TimedOut {
		return err
	}
	var status *apierrors.StatusError
	if errors.As(err, &status) {
		if failed && failure.Op == cache.OpList {
			return unlisted(failure.Target, status)
		}
		return status
	}
	var unreachable *url.Error
	if errors.As(err, &unreachable) {
		return unreachable
	}
	return err
}

// unlisted says of a list that was refused what was asked for, as kubectl's
// builder does.
func unlisted(t cache.Target, status *apierrors.StatusError) error {
	if t.Name != "" || !apierrors.IsBadRequest(status) && !apierrors.IsNotFound(status) {
		return status
	}
	named := *status
	if t.LabelSelector == "" && t.FieldSelector == "" {
		named.ErrStatus.Message = fmt.Sprintf("Unable to list %q: %v", t.Resource, status.ErrStatus.Message)
	} else {
		named.ErrStatus.Message = fmt.Sprintf("Unable to find %q that match label selector %q, field selector %q: %v",
			t.Resource, t.LabelSelector, t.FieldSelector, status.ErrStatus.Message)
	}
	return &named
}

// Asked is what hints know of the command that met an error.
type Asked struct {
	Command string
	// Follows says that it watches what it has listed.
	Follows bool
}

// AskedBy describes a command whose flags have been parsed.
func AskedBy(cmd *cobra.Command) Asked {
	by := Asked{Command: cmd.Name(), Follows: cmd.Name() != "list"}
	for _, flag := range []string{"watch", "watch-only"} {
		if set, err := cmd.Flags().GetBool(flag); err == nil && set {
			by.Follows = true
		}
	}
	if once, err := cmd.Flags().GetBool("until-synced"); err == nil && once {
		by.Follows = false
	}
	return by
}

// preface is what kubectl says before an error; most have none.
func preface(err error, by Asked) string {
	if errors.As(err, new(alreadyReported)) || !errors.As(err, new(*resolve.NoResourceError)) {
		return ""
	}
	what := "resource"
	if by.Command == "list" {
		what = "resource to list"
	}
	return fmt.Sprintf("You must specify the type of %s. %s\n", what, cmdutil.SuggestAPIResources("kubectl"))
}

// Hinted is an error that knows what to do next.
type Hinted interface {
	error
	// Hint is that, in a line that begins with "hint: "; empty where there is nothing to say.
	Hint() string
}

// Hint says what to do next about an error, mostly in one line; most need none.
func Hint(err error, by Asked) string {
	var (
		failure    *cache.SyncError
		noResource *resolve.NoResourceError
		everywhere *resolve.NameInAllNamespacesError
		hinted     Hinted
	)
	switch {
	case errors.As(err, new(alreadyReported)):
		return ""
	case errors.As(err, &noResource):
		return fmt.Sprintf(`Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).
See 'kubectl informer %s -h' for help and examples`, by.Command)
	case errors.As(err, &everywhere):
		return fmt.Sprintf("hint: an index finds a name in all namespaces: --by name=%s -A", strings.Join(everywhere.Names, " --by name="))
	case errors.As(err, &hinted):
		return hinted.Hint()
	case !errors.As(err, &failure):
		return ""
	}
	switch {
	case apierrors.IsForbidden(failure.Err):
		return missingRule(failure.Target, by.Follows)
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
// be watched where it is followed, or its subresource to be read.
func missingRule(t cache.Target, follows bool) string {
	kind, where := "ClusterRole", "for the whole cluster"
	if t.Namespace != "" {
		kind, where = "Role", fmt.Sprintf("in namespace %q", t.Namespace)
	}
	resource, verbs := t.Resource.Resource, "list"
	switch {
	case t.Subresource != "":
		resource, verbs = resource+"/"+t.Subresource, "get"
	case follows:
		verbs = "list, watch"
	}
	rule := fmt.Sprintf("apiGroups: [%q], resources: [%q], verbs: [%s]", t.Resource.Group, resource, verbs)
	if t.Name != "" {
		rule += fmt.Sprintf(", resourceNames: [%q]", t.Name)
	}
	if t.Context != "" {
		where += fmt.Sprintf(" in context %q", t.Context)
	}
	return fmt.Sprintf("hint: this needs a %s with the rule {%s} %s", kind, rule, where)
}

// What stands for a user and a password in a message.
const redacted = "xxxxx"

var (
	// userinfo is that of a URL, which ends with the last @ before the host's end.
	userinfo = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)([^\s"'/]*)@`)
	// badProxy are client-go's words for a proxy's URL that is none: anything can
	// be in it, and the reason may repeat any part of it.
	badProxy = regexp.MustCompile(`(?s)invalid 'proxy-url' ("(?:[^"\\]|\\.)*") for cluster ("(?:[^"\\]|\\.)*"): .*`)
)

// WithoutUserinfo takes the users and passwords out of the URLs in a message.
func WithoutUserinfo(text string) string {
	text = badProxy.ReplaceAllStringFunc(text, func(message string) string {
		parts := badProxy.FindStringSubmatch(message)
		proxy, err := strconv.Unquote(parts[1])
		if err != nil || !strings.Contains(proxy, "@") {
			return message
		}
		scheme, _, found := strings.Cut(proxy, "://")
		if found {
			scheme += "://"
		} else {
			scheme = ""
		}
		host := proxy[strings.LastIndex(proxy, "@")+1:]
		return "invalid 'proxy-url' " + strconv.Quote(scheme+redacted+"@"+host) + " for cluster " + parts[2] + ": it is not the URL of a proxy"
	})
	return userinfo.ReplaceAllStringFunc(text, func(found string) string {
		parts := userinfo.FindStringSubmatch(found)
		if _, password, _ := strings.Cut(parts[2], ":"); password == "***" || password == redacted {
			return found // as net/http and net/url have it, without the password
		}
		return parts[1] + redacted + "@"
	})
}

// Redacting is a writer of whole lines to another that takes userinfo out of them.
func Redacting(to io.Writer) io.Writer { return redacting{to} }

type redacting struct{ to io.Writer }

func (r redacting) Write(p []byte) (int, error) {
	if _, err := io.WriteString(r.to, WithoutUserinfo(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
