package resolve

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// What arguments come to can be asked for again, by what it is called, and comes
// to the same.
func FuzzResourceArguments(f *testing.F) {
	for _, seed := range []string{
		"pods", "po,deploy", "pods web-1 web-2", "pod/web-1 deploy.apps/web", "all", "pods.v1.", "Deployment.v1.apps x",
		"pods,services -n", "/", "pod/", "/x", "pods/a/b", ",", "pods,", ",pods", "pods pod/web", ".", "..", "a.b.c.d", "pods.v9.",
		"node/n1 node/n1", "Nodes\x00", "p\u202eods", strings.Repeat("pods,", 50), "all,all", "%2e%2e/x", "pods ..", "pods %",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		client := &fakeDiscovery{served: stock()}
		request := Request{Args: strings.Fields(line), AllNamespaces: !strings.ContainsAny(line, "/ ")}
		result, err := New(connect(client)).Resolve(context.Background(), request)
		if client.reads > 4 {
			t.Errorf("%q: discovery was read %d times", line, client.reads)
		}
		if err != nil {
			return
		}
		var again []string
		for _, target := range result.Targets {
			argument := asArgument(target.Resource)
			if strings.Contains(target.Name, ",") {
				return // no object has such a name, and TYPE/NAME refuses it
			}
			if target.Name != "" {
				argument += "/" + target.Name
			}
			again = append(again, argument)
		}
		if len(again) == 0 {
			return // a category without members
		}
		if result.Targets[0].Name == "" {
			again = []string{strings.Join(again, ",")}
		}
		request.Args = again
		repeated, err := New(connect(&fakeDiscovery{served: stock()})).Resolve(context.Background(), request)
		if err != nil {
			t.Fatalf("%q comes to %q: %v", line, again, err)
		}
		if got, want := allWords(repeated.Targets), allWords(result.Targets); !slices.Equal(got, want) {
			t.Errorf("%q comes to %q, and that to %q", line, want, got)
		}
	})
}
