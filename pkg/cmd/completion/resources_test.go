package completion

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestCompletionOffersNothingThatAShellWouldRun(t *testing.T) {
	words := []string{"note=a", "note=$(reboot)b", "note=`reboot`", "note=a;reboot", "note=a b", "note=\x1b[2J",
		"note=a\nb", "note={a,b}", "note=*", "note=~", "note='", "note=\\", "note=grün/1.2:3@4+5_6-7%8", "other=a"}
	got, how := matching("note=", words, cobra.ShellCompDirectiveKeepOrder)
	if want := []string{"note=a", "note=grün/1.2:3@4+5_6-7%8"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if how != cobra.ShellCompDirectiveKeepOrder|cobra.ShellCompDirectiveNoFileComp {
		t.Errorf("the directive is %d", how)
	}
}

func TestCompletionGoesOnBehindWhatAUserHasQuoted(t *testing.T) {
	typed := `{.a[?(@.b=="c d")].e}=`
	got, _ := matching(typed, []string{typed + "1\t2 objects"}, 0)
	if want := []string{typed + "1\t2 objects"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCompletionCutsByAtItsOperator(t *testing.T) {
	for typed, want := range map[string][3]string{
		"":                         {"", "", ""},
		"node":                     {"node", "", ""},
		"node!":                    {"node!", "", ""},
		"node=":                    {"node", "=", ""},
		"node!=n":                  {"node", "!=", "n"},
		"label=app=web":            {"label", "=", "app=web"},
		"node=@":                   {"node", "=", "@"},
		"node==":                   {"node", "==", ""},
		"node==n":                  {"node", "==", "n"},
		"node===n":                 {"node", "==", "=n"},
		"node!==n":                 {"node", "!=", "=n"},
		`{.a[?(@.b=="c")].d}`:      {`{.a[?(@.b=="c")].d}`, "", ""},
		`{.a[?(@.b=="c")].d}=e`:    {`{.a[?(@.b=="c")].d}`, "=", "e"},
		`metadata.labels.a\=b=c`:   {`metadata.labels.a\=b`, "=", "c"},
		"=x":                       {"=x", "", ""},
		"metadata.labels['a=b']!=": {"metadata.labels['a=b']", "!=", ""},
	} {
		name, operator, value := cutBy(typed)
		if got := [3]string{name, operator, value}; got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}

func TestACompletedValueIsTheOneThatIsAskedFor(t *testing.T) {
	for _, value := range []string{"", "a", "=", "=a", "==a", "@a", "@@a", "!=a"} {
		for _, operator := range []string{"=", "==", "!="} {
			by := spellBy("name", operator, value)
			want := "name" + operator + value
			if operator == "=" && strings.HasPrefix(value, "=") {
				want = "name==" + value
			}
			if strings.HasPrefix(value, "@") {
				want = "name" + operator + "@" + value
			}
			if by != want {
				t.Errorf("%q with %s: got %q, want %q", value, operator, by, want)
			}
		}
	}
}

func TestCompletionKnowsTheWordsForATypeThatNameNoOther(t *testing.T) {
	listable := metav1.Verbs{"get", "list"}
	lists := []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "pods", SingularName: "pod", ShortNames: []string{"po"}, Verbs: listable, Categories: []string{"all"}},
			{Name: "services", SingularName: "service", ShortNames: []string{"svc"}, Verbs: listable, Categories: []string{"all"}},
			{Name: "bindings", Verbs: metav1.Verbs{"create"}, Categories: []string{"made"}},
		}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Verbs: listable}}},
		{GroupVersion: "not/a/version", APIResources: []metav1.APIResource{{Name: "things", Verbs: listable}}},
		{GroupVersion: "metrics.k8s.io/v1", APIResources: []metav1.APIResource{{Name: "pods", Verbs: listable}}},
	}
	for typed, want := range map[string][]string{
		"":             {"all", "deployments", "pods", "pods.metrics.k8s.io", "services"},
		"po":           {"pods", "pods.metrics.k8s.io"},
		"svc":          {"svc"},
		"sv":           nil,
		"nope":         nil,
		"pods.":        {"pods.metrics.k8s.io"},
		"deployments.": {"deployments.apps"},
		"b":            nil,
	} {
		if got := typeWords(lists, typed); len(got)+len(want) > 0 && !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}
