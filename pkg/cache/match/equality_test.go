package match_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

func TestWhatAnExpressionCannotHoldWithoutIsKnown(t *testing.T) {
	name := match.Equality{Path: []string{"metadata", "name"}, Values: []string{"web"}}
	namespace := match.Equality{Path: []string{"metadata", "namespace"}, Values: []string{"shop"}}
	node := match.Equality{Path: []string{"spec", "nodeName"}, Values: []string{"n"}, Fails: true}
	app := func(e match.Equality) match.Equality {
		e.Path = []string{"metadata", "labels", "app"}
		return e
	}
	web := []string{"web"}
	for expression, want := range map[string][]match.Equality{
		`object.metadata.name == "web"`:                                     {name},
		`"web" == object.metadata.name`:                                     {name},
		`object["metadata"]['name'] == "web"`:                               {name},
		`.object.metadata.name == "web"`:                                    {name},
		`object.metadata.name in ["web"]`:                                   {name},
		`object.metadata.name in ["web", "db"]`:                             {{Path: name.Path, Values: []string{"web", "db"}}},
		`object.metadata.name != "web"`:                                     {{Path: name.Path, Values: web, Not: true}},
		`object.spec.nodeName == "n"`:                                       {node},
		`(object.metadata.name == "web" && object.spec.nodeName == "n")`:    {name, node},
		`object.spec.x > 1 && object.metadata.name == "web"`:                {name},
		`has(object.spec.x) && object.metadata.name == "web"`:               {name},
		`!(object.spec.x == 1 || false) && object.metadata.name == "web"`:   {name},
		`object.metadata.name == "web" && object.spec.l.all(x, x > 1)`:      {name},
		`object.spec.l.all(x, x > 1) && object.metadata.name == "web"`:      nil, // it may cost too much
		`object.spec.x.matches("a+") && object.metadata.name == "web"`:      nil,
		`object.metadata.name == "web" || object.spec.nodeName == "n"`:      nil,
		`!(object.metadata.name == "web")`:                                  nil,
		`object.metadata.name == object.spec.name`:                          nil,
		`object.spec.replicas == 3`:                                         nil,
		`object.metadata.name in []`:                                        nil,
		`object.metadata.name in object.spec.names`:                         nil,
		`"web" in object.spec.names`:                                        nil,
		`"a" == "b"`:                                                        nil,
		`object == "web"`:                                                   nil,
		`object.spec.l[0] == "web"`:                                         nil,
		`object.spec.l.exists(object, object.metadata.name == "web")`:       nil,
		`size(object.metadata.name) == 3 && object.metadata.name == "web"`:  nil,
		`object.metadata.labels["app"] == "web"`:                            {app(match.Equality{Values: web, Fails: true})},
		`object.metadata.labels.app != "web"`:                               {app(match.Equality{Values: web, Fails: true, Not: true})},
		`object.metadata.?labels.app.orValue("") == "web"`:                  {app(match.Equality{Values: web})},
		`object.metadata.?labels["app"].orValue("") == "web"`:               {app(match.Equality{Values: web})},
		`object.metadata.labels[?"app"].orValue("") == "web"`:               {app(match.Equality{Values: web, Fails: true})},
		`object.metadata.?labels.?app.orValue("web") == "web"`:              {app(match.Equality{Values: web, Absent: true})},
		`object.metadata.?labels.?app.orValue("") != "web"`:                 {app(match.Equality{Values: web, Absent: true, Not: true})},
		`object.metadata.?labels.?app.orValue("web") != "web"`:              {app(match.Equality{Values: web, Not: true})},
		`object.metadata.?labels.?app == optional.of("web")`:                nil,
		`object.?spec.?nodeName.orValue("") == "n"`:                         {{Path: node.Path, Values: []string{"n"}}},
		`object.spec.?nodeName.orValue("") in ["n", ""]`:                    {{Path: node.Path, Values: []string{"n", ""}, Absent: true, Fails: true}},
		`object.metadata.namespace == "shop" && object.spec.l.map(x, x)[0]`: {namespace},
	} {
		t.Run(expression, func(t *testing.T) {
			if diff := gocmp.Diff(want, mustCompile(t, expression).Equalities()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An expression is asked only where those before it hold: an object that one of them
// has no answer for is reported, whatever the next ones are.
func TestOfSeveralExpressionsOnlyTheFirstMayBeWithoutAnAnswer(t *testing.T) {
	const (
		name  = `object.metadata.name == "web"`
		space = `object.metadata.namespace == "shop"`
		node  = `object.spec.nodeName == "n"`
		other = `object.spec.x > 1`
	)
	for _, test := range []struct {
		expressions []string
		want        int
	}{
		{nil, 0},
		{[]string{name, space, node}, 3},
		{[]string{name, node, space}, 2},
		{[]string{other, name}, 0},
		{[]string{name + " && " + other, space}, 1},
	} {
		if got := mustCompile(t, test.expressions...).Equalities(); len(got) != test.want {
			t.Errorf("%q: got %v", test.expressions, got)
		}
	}
}
