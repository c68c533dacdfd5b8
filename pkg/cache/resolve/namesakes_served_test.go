package resolve

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// On a server without custom types no name is ambiguous but those that are
// expected: a notice about a pair that every server has helps nobody. A new
// Kubernetes may have another pair; this test has its types from a dump's, which
// are a server's.
func TestNoOtherTypesOfAServerShareAName(t *testing.T) {
	text, err := os.ReadFile("../dump/types.json")
	if err != nil {
		t.Fatal(err)
	}
	var groups apidiscovery.APIGroupDiscoveryList
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	named := map[string]schema.GroupResource{}
	for _, group := range groups.Items {
		for _, version := range group.Versions {
			for _, resource := range version.Resources {
				gr := schema.GroupResource{Group: group.Name, Resource: resource.Resource}
				for _, name := range append(resource.ShortNames, resource.Resource, resource.SingularResource, strings.ToLower(resource.ResponseKind.Kind)) {
					other, found := named[name]
					if found && other != gr && !expectedNamesake(other, gr) {
						t.Errorf("%q names %s and %s", name, other, gr)
					}
					named[name] = gr
				}
			}
		}
	}
	if len(named) < 100 {
		t.Errorf("only %d names were found", len(named))
	}
}
