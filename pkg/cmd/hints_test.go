package cmd

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestAFieldSelectorThatTheServerRefusesIsSpelledForTheCache(t *testing.T) {
	for selector, want := range map[string]string{
		"spec.size=3":              "--by spec.size=3",
		"spec.size==3":             "--by spec.size=3",
		"spec.size!=3":             "--by spec.size!=3",
		"spec.size=3,spec.color!=": "--by spec.color!= --by spec.size=3",
		`spec.name=a\,b`:           "--by spec.name=a,b",
		"spec.size":                "--by PATH=VALUE",
		// A list of maps has no values: as it stands it could never match.
		"spec.containers=x":                  "--by spec.containers[*].image=x",
		"spec.template.spec.initContainers=": "--by spec.template.spec.initContainers[*].image=",
		"spec.containersReady=x":             "--by spec.containersReady=x",
	} {
		if got := asBy(selector); got != want {
			t.Errorf("%s: got %s, want %s", selector, got, want)
		}
	}
}

func TestAHintNamesTheCommandThatWasGiven(t *testing.T) {
	for args, want := range map[string]string{
		"list": "list", "get": "list", "tail": "tail", "watch": "tail", "wait --for=create": "wait", "query": "query", "indexes": "indexes",
	} {
		_, stderr, code := askDump(t, nil, "", args)
		if code != 1 || stderr != "error: Required resource not specified.\nhint: name a type, as in \""+want+" pods\"; \"kubectl api-resources\" lists all\n" {
			t.Errorf("%s: code %d, stderr %q", args, code, stderr)
		}
	}
}

func TestAListIsNotToldToNeedTheRightToWatch(t *testing.T) {
	refused := &cache.SyncError{Target: somePods, Err: forbidden(), Fault: cache.Denied}
	for args, want := range map[string]string{
		"list": "[list]", "list -w": "[list, watch]", "list --watch-only": "[list, watch]", "list --watch=false": "[list]",
		"tail": "[list, watch]", "wait": "[list, watch]", "query": "[list, watch]",
	} {
		cmd, rest, err := NewRoot(Streams{}).Find(strings.Fields(args))
		if err != nil || cmd.ParseFlags(rest) != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if got := hint(refused, askedBy(cmd)); !strings.Contains(got, `resources: ["pods"], verbs: `+want+"}") {
			t.Errorf("%s: %s", args, got)
		}
	}
}

func TestEveryServersWordsForAnUnknownFieldAreUnderstood(t *testing.T) {
	for text, understood := range map[string]bool{
		"field label not supported: spec.size":                                                  true,
		`"spec.size" is not a known field selector: only "metadata.name", "metadata.namespace"`: true,
		"invalid selector: 'foo'; can't understand 'foo'":                                       false,
		"unable to parse requirement: found '', expected: ',', ')' or identifier":               false,
	} {
		target := somePods
		target.FieldSelector = "spec.size=3"
		got := hint(&cache.SyncError{Target: target, Fault: cache.Invalid, Err: apierrors.NewBadRequest(text)}, asked{})
		if strings.Contains(got, "--by spec.size=3") != understood || (got != "") != understood {
			t.Errorf("%s: hint %q", text, got)
		}
	}
}
