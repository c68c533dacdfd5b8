package handler

import (
	"slices"
	"strings"
	"testing"
)

func TestTheEnvironmentNamesTheEventAndTheObject(t *testing.T) {
	want := []string{
		"INFORMER_EVENT=ADDED",
		"INFORMER_NAMESPACE=ns",
		"INFORMER_NAME=web-1",
		"INFORMER_KIND=Pod",
		"INFORMER_API_VERSION=v1",
		"INFORMER_RESOURCE_VERSION=42",
		"INFORMER_INITIAL=true",
	}
	if got := variables(parse("ADDED web-1 42 initial")); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestTheEnvironmentNamesTheContextOfOneOfSeveralClusters(t *testing.T) {
	event := parse("ADDED web-1 42")
	event.Target.Context = "west"
	if got := variables(event); !slices.Contains(got, "INFORMER_CONTEXT=west") {
		t.Errorf("got %q", got)
	}
	if got := withoutOurs([]string{"INFORMER_CONTEXT=west", "HOME=/"}); !slices.Equal(got, []string{"HOME=/"}) {
		t.Errorf("left over are %q", got)
	}
}

func TestOnlyInitialObjectsAreCalledInitial(t *testing.T) {
	for _, entry := range variables(parse("ADDED web-1 42")) {
		if strings.HasPrefix(entry, varInitial+"=") {
			t.Errorf("got %q", entry)
		}
	}
}

func TestAClusterScopedObjectHasAnEmptyNamespace(t *testing.T) {
	event := parse("ADDED node-1 42")
	event.Row.Namespace = ""
	if got := variables(event); !slices.Contains(got, "INFORMER_NAMESPACE=") {
		t.Errorf("got %q", got)
	}
}

func TestAValueThatIsNotShortPlainTextIsLeftOutNotCut(t *testing.T) {
	for name, value := range map[string]string{
		"newline":         "web\nINFORMER_NAME=other",
		"carriage return": "web\rother",
		"NUL":             "web\x00other",
		"escape":          "web\x1b[2J",
		"DEL":             "web\x7f",
		"C1":              "web\u009b2J",
		"not UTF-8":       "web\xff",
		"too long":        strings.Repeat("x", maxValue+1),
	} {
		event := parse("ADDED web-1 42")
		event.Row.Name = value
		got := variables(event)
		if slices.ContainsFunc(got, func(entry string) bool { return strings.HasPrefix(entry, varName+"=") }) {
			t.Errorf("%s: got %q", name, got)
		}
		if !slices.Contains(got, "INFORMER_KIND=Pod") {
			t.Errorf("%s: the others are gone too: %q", name, got)
		}
	}
	event := parse("ADDED web-1 42")
	event.Row.Name = strings.Repeat("x", maxValue)
	if got := variables(event); !slices.Contains(got, "INFORMER_NAME="+event.Row.Name) {
		t.Error("the longest name is left out")
	}
}

func TestVariablesOfAnOuterCommandDoNotReachAnInnerOne(t *testing.T) {
	outer := []string{"PATH=/bin", "INFORMER_INITIAL=true", "INFORMER_NAME=outer", "INFORMER_MODE=mine", "INFORMER_INITIAL_DELAY=1"}
	want := []string{"PATH=/bin", "INFORMER_MODE=mine", "INFORMER_INITIAL_DELAY=1"}
	if got := withoutOurs(outer); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if outer[1] != "INFORMER_INITIAL=true" {
		t.Error("the caller's environment was changed")
	}
}
