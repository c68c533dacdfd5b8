package cmd

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

func TestALineIsSplitAsAShellSplitsIt(t *testing.T) {
	for line, want := range map[string]string{
		`--by name=web`:                     `name=web`,
		`  --by	name=web  `:                 `name=web`,
		`--by=name=web`:                     `name=web`,
		`--by 'name=a b'`:                   `name=a b`,
		`--by name=a\ b`:                    `name=a b`,
		`--by "name=a\"b"`:                  `name=a"b`,
		`--by 'labels.a\.b=c'`:              `labels.a\.b=c`,
		`--by "labels.a\.b=c"`:              `labels.a\.b=c`,
		`--by labels.a\\.b=c`:               `labels.a\.b=c`,
		`--by name=w'e'"b"`:                 `name=web`,
		`--by name=`:                        `name=`,
		`--by name=$HOME`:                   `name=$HOME`,
		`--by name=a;b|c>d&e`:               `name=a;b|c>d&e`,
		`--by name=größe`:                   `name=größe`,
		`--by data[?(@.a=="b")].c=d`:        `data[?(@.a==b)].c=d`,
		`--by 'data[?(@.a=="b")].c=d'`:      `data[?(@.a=="b")].c=d`,
		`--by name=a --by node=b`:           `name=a node=b`,
		`--by name='a' --by node=b --by c=`: `name=a node=b c=`,
	} {
		flags, err := parseLine(line, match.DefaultCostLimit)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := strings.Join(flags.by, " "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

func TestALineThatIsNoneIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		`pods`:                     "a line holds flags only, not pods",
		`-o name; ls`:              "a line holds flags only, not ls",
		`--by name=a # a note`:     "a line holds flags only, not #",
		`--by 'name=a`:             "Unterminated single-quoted string",
		`--by name=a\`:             "Unterminated backslash-escape",
		`--nope`:                   "unknown flag: --nope",
		`--field-selector a=b`:     "unknown flag: --field-selector",
		`--help`:                   `a line holds the flags of "list"`,
		`-h`:                       `a line holds the flags of "list"`,
		`--by name`:                `invalid --by "name"`,
		`--where object.`:          "--where: ERROR: <input>:1:8",
		`--where oldObject==null`:  "undeclared reference to 'oldObject'",
		`-l 'a in ('`:              "unable to parse requirement",
		`-o xml`:                   `output format "xml"`,
		`--limit -1`:               "--limit must not be negative",
		`--sort-by {.a`:            "sorting error",
		`--show-labels -o json`:    "--show-labels option cannot be used with json printer",
		`--template={{ -o go-tem…`: "output format",
	} {
		if _, err := parseLine(line, match.DefaultCostLimit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s", line, err, want)
		}
	}
}

func TestSelectorsOfALineAreAllMet(t *testing.T) {
	flags, err := parseLine(`-l 'app in (web, db)' -l tier!=back -l ''`, match.DefaultCostLimit)
	if err != nil {
		t.Fatal(err)
	}
	for selected, want := range map[string]bool{"app=web": true, "app=db,tier=front": true, "app=db,tier=back": false, "tier=front": false} {
		set, err := labels.ConvertSelectorToLabelsMap(selected)
		if err != nil {
			t.Fatal(err)
		}
		if got := flags.selected.Matches(set); got != want {
			t.Errorf("%s: %v", selected, got)
		}
	}
	everything, err := parseLine("", match.DefaultCostLimit)
	if err != nil || !everything.selected.Empty() {
		t.Errorf("an empty line selects %v, %v", everything.selected, err)
	}
}

func TestALineLooksWhereTheSessionHasObjectsAndNowhereElse(t *testing.T) {
	all := printers.Scope{AllNamespaces: true}
	two := printers.Scope{Namespaces: []string{"shop", "dev"}}
	for _, test := range []struct {
		line    string
		session printers.Scope
		want    []string
		err     string
	}{
		{"", all, nil, ""},
		{"", two, []string{"shop", "dev"}, ""},
		{"-A", all, nil, ""},
		{"-A", two, nil, "this session does not have all namespaces"},
		{"-A -n shop", all, nil, ""},
		{"-n shop", all, []string{"shop"}, ""},
		{"-n shop,batch -n dev", all, []string{"shop", "batch", "dev"}, ""},
		{"-n shop", two, []string{"shop"}, ""},
		{"-n dev,shop", two, []string{"dev", "shop"}, ""},
		{"-n shop,batch", two, nil, `this session does not have the namespace "batch"`},
	} {
		flags, err := parseLine(test.line, match.DefaultCostLimit)
		if err != nil {
			t.Fatal(err)
		}
		scope, err := flags.scope(test.session)
		switch {
		case test.err != "":
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q in %v: got error %v", test.line, test.session, err)
			}
		case err != nil || !slices.Equal(scope.Namespaces, test.want) || scope.AllNamespaces != (test.want == nil):
			t.Errorf("%q in %v: got %v, %v", test.line, test.session, scope, err)
		}
	}
}

func TestTheNamespaceOfALineIsNothingToTypesThatAreInNone(t *testing.T) {
	flags, err := parseLine("-n shop,dev --by name=a", match.DefaultCostLimit)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := index.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes := cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Node"}}
	for _, test := range []struct {
		target    cache.Target
		namespace string
		want      bool
	}{{nodes, "", true}, {somePods, "dev", true}, {somePods, "batch", false}} {
		bound, err := flags.queryFor(test.target).Bind(registry, test.target)
		if err != nil {
			t.Fatal(err)
		}
		row := &cache.Row{}
		row.Name, row.Namespace = "a", test.namespace
		if got := bound.Match(row); got != test.want {
			t.Errorf("%s in %q: %v", test.target.Resource.Resource, test.namespace, got)
		}
	}
}
