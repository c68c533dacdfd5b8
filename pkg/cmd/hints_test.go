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
	} {
		if got := asBy(selector); got != want {
			t.Errorf("%s: got %s, want %s", selector, got, want)
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
		got := hint(&cache.SyncError{Target: target, Fault: cache.Invalid, Err: apierrors.NewBadRequest(text)})
		if strings.Contains(got, "--by spec.size=3") != understood || (got != "") != understood {
			t.Errorf("%s: hint %q", text, got)
		}
	}
}
