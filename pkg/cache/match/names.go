package match

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// longest is how many characters of one object's own text are ever repeated.
const longest = 200

// printable makes one short line of a text that may hold anything: characters
// that could drive a terminal or break the line become escapes.
func printable(text string) string {
	var line strings.Builder
	count := 0
	for _, r := range text {
		if count++; count > longest {
			line.WriteString("…")
			break
		}
		if unicode.IsPrint(r) {
			line.WriteRune(r)
		} else {
			line.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return line.String()
}

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
	return name
}
