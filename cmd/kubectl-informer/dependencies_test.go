package main

import (
	"os/exec"
	"strings"
	"testing"
)

// What the plugin must never depend on: Kubernetes itself, whose packages no
// module can import with a version, a framework for long-running controllers, and
// what only writes or checks the documentation.
func TestThePluginStaysSmall(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if len(packages) < 100 {
		t.Fatalf("got %d packages only", len(packages))
	}
	for _, path := range packages {
		for _, unwanted := range []string{
			"k8s.io/kubernetes", "sigs.k8s.io/controller-runtime",
			"github.com/spf13/cobra/doc", "github.com/cpuguy83/go-md2man", "github.com/santhosh-tekuri/jsonschema",
		} {
			if path == unwanted || strings.HasPrefix(path, unwanted+"/") {
				t.Errorf("the plugin depends on %s", path)
			}
		}
	}
}
