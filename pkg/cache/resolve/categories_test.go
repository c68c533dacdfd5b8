package resolve

import (
	"strings"
	"testing"
)

// What only a category names may be left out; what an argument names, in whatever
// spelling, may not.
func TestWhatAnArgumentNamesIsTakenForAMemberOfACategory(t *testing.T) {
	served := with(list("example.com/v1", withVerbs(kind("samples", "sample", "Sample", "smp"), "get", "list")))
	const pods, services, deployments, hpas, samples = "pods", "services", "deployments", "horizontalpodautoscalers", "samples"
	for line, want := range map[string][]string{
		"pods":                   nil,
		"samples":                nil,
		"po,smp":                 nil,
		"all":                    {pods, services, deployments, hpas, samples},
		"all,smp":                {pods, services, deployments, hpas},
		"Sample.example.com,all": {pods, services, deployments, hpas},
		"ns,all,pods":            {services, deployments, hpas, samples},
	} {
		result := resolve(t, &fakeDiscovery{served: served}, args(line))
		var got []string
		for _, target := range result.FromCategory {
			got = append(got, target.Resource.Resource)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: got %v, want %v", line, got, want)
		}
	}
}
