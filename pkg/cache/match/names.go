package match

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// longest is how many characters of one object's own text are ever repeated.
const longest = 200

// printable makes one short line of a text that may hold anything.
func printable(text string) string { return display.Line(text, longest) }

// kindName is a type as kubectl names it in `pod/web-1`.
func kindName(kind schema.GroupKind) string {
	return strings.ToLower(kind.String())
}

// fullName names an object so that nobody takes it for another.
func fullName(row *cache.Row) string {
	name := kindName(row.GroupVersionKind().GroupKind()) + "/" + row.Name
	if row.Namespace != "" {
		name += fmt.Sprintf(" in namespace %q", row.Namespace)
	}
	if row.Context() != "" {
		name += fmt.Sprintf(" in context %q", row.Context())
	}
	return name
}
