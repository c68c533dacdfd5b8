package client

import (
	"os"
	"regexp"
	"testing"
)

// A new version of the module has new structs: then servers of that version have
// no more fields than those, and all others may.
func TestOurVersionIsThatOfTheStructs(t *testing.T) {
	data, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s*k8s\.io/api v0\.(\d+)\.`).FindSubmatch(data)
	if found == nil || string(found[1]) != apiMinor {
		t.Errorf("go.mod has the minor version %q, not %s", found, apiMinor)
	}
}
