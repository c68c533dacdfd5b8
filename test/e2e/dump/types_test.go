// Package dump compares what is known of built-in types where there is no
// server, in pkg/cache/dump, with what a server of the present version says.
package dump

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	"k8s.io/client-go/discovery"
)

// update makes TestTheBuiltInTypesAreThoseOfTheServer write what it would compare.
var update = flag.Bool("update", false, "write pkg/cache/dump/types.json as the server has it")

func TestTheBuiltInTypesAreThoseOfTheServer(t *testing.T) {
	want, err := json.MarshalIndent(fixture.types, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	file := filepath.FromSlash("../../../pkg/cache/dump/types.json")
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("types.json is not what the server says: run `make renew` and look at the difference")
	}
}

// builtinTypes asks the server for the types that can be listed, in its order,
// and leaves out what a dump has no use for: subresources, and verbs that change
// or follow something.
func builtinTypes(ctx context.Context) (apidiscovery.APIGroupDiscoveryList, error) {
	var types apidiscovery.APIGroupDiscoveryList
	for _, path := range []string{"/api", "/apis"} {
		groups, err := discoveryOf(ctx, path)
		if err != nil {
			return types, err
		}
		for _, group := range groups.Items {
			kept := apidiscovery.APIGroupDiscovery{}
			kept.Name = group.Name
			for _, version := range group.Versions {
				version.Freshness = ""
				version.Resources = listable(version.Resources)
				if len(version.Resources) > 0 {
					kept.Versions = append(kept.Versions, version)
				}
			}
			if len(kept.Versions) > 0 {
				types.Items = append(types.Items, kept)
			}
		}
	}
	return types, nil
}

func listable(resources []apidiscovery.APIResourceDiscovery) []apidiscovery.APIResourceDiscovery {
	var kept []apidiscovery.APIResourceDiscovery
	for _, resource := range resources {
		if slices.Contains(resource.Verbs, "list") {
			resource.Subresources = nil
			resource.Verbs = []string{"get", "list"}
			kept = append(kept, resource)
		}
	}
	return kept
}

func discoveryOf(ctx context.Context, path string) (groups apidiscovery.APIGroupDiscoveryList, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	body, err := fixture.client.RESTClient().Get().AbsPath(path).SetHeader("Accept", discovery.AcceptV2).Do(ctx).Raw()
	if err != nil {
		return groups, err
	}
	return groups, json.Unmarshal(body, &groups)
}
