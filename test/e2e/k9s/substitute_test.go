//go:build unix

package k9s

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// variables are what k9s knows where a key is pressed, by name.
type variables map[string]string

// reference is how an argument names a variable: $NAME, $!NAME, ${NAME}, ${!NAME}.
var reference = regexp.MustCompile(`\$(!?)([\w-]+)|\$\{(!?)([\w\-%/: ]+)\}`)

// substitute does to an argument what k9s does before it runs a command: names
// are found in any case, the longest first; unknown ones stay; a value that Go
// reads as a boolean becomes true or false, the other way round after a !.
func (v variables) substitute(argument string) string {
	found := reference.FindAllStringSubmatch(argument, -1)
	slices.SortStableFunc(found, func(a, b []string) int { return len(b[0]) - len(a[0]) })
	for _, groups := range found {
		value, known := v[strings.ToUpper(groups[2]+groups[4])]
		if !known {
			continue
		}
		if yes, err := strconv.ParseBool(value); err == nil {
			value = strconv.FormatBool(yes != (groups[1]+groups[3] == "!"))
		}
		argument = strings.ReplaceAll(argument, groups[0], value)
	}
	return argument
}

// view is a view of k9s with an object selected in it.
type view struct {
	resource, version, group string
	// path is how k9s names the object: NAMESPACE/NAME, where NAMESPACE/ may be
	// missing or -/ for what has none.
	path string
}

// variables returns what k9s knows in the view, started with a kubeconfig.
func (v view) variables(kubeconfig, context string) variables {
	namespace, name := path.Split(v.path)
	return variables{
		"NAMESPACE": strings.Trim(namespace, "/"), "NAME": name, "FILTER": name,
		"CONTEXT": context, "CLUSTER": "test", "USER": "admin", "GROUPS": "", "KUBECONFIG": kubeconfig,
		"RESOURCE_NAME": v.resource, "RESOURCE_VERSION": v.version, "RESOURCE_GROUP": v.group,
		"COL-NAME": name,
	}
}

func TestSubstitutionAsInK9s(t *testing.T) {
	t.Parallel()
	pod := view{resource: "pods", version: "v1", path: "shop/web-1"}.variables("/a:/b", "prod")
	node := view{resource: "nodes", version: "v1", path: "-/node-1"}.variables("", "1")
	for _, test := range []struct {
		variables      variables
		argument, want string
	}{
		{pod, "plain", "plain"},
		{pod, "$RESOURCE_NAME.$RESOURCE_VERSION.$RESOURCE_GROUP/$NAME", "pods.v1./web-1"},
		{pod, "@pods/$NAMESPACE/$NAME", "@pods/shop/web-1"},
		{pod, "${NAME}x ${name} $name", "web-1x web-1 web-1"},
		{pod, "KUBECONFIG=$KUBECONFIG", "KUBECONFIG=/a:/b"},
		{pod, "$COL-NAME $COL-AGE $NOTHING", "web-1 $COL-AGE $NOTHING"},
		{pod, `"$@" $? $1 $(true)`, `"$@" $? $1 $(true)`},
		{node, "$NAMESPACE/$NAME", "-/node-1"},
		{node, "$CONTEXT $!CONTEXT", "true false"},
		{view{resource: "nodes", version: "v1", path: "node-1"}.variables("", ""), "-n=$NAMESPACE", "-n="},
	} {
		if got := test.variables.substitute(test.argument); got != test.want {
			t.Errorf("%q: got %q, want %q", test.argument, got, test.want)
		}
	}
}
