package cluster

import (
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/binaries"
)

func TestOptionsChooseTheReleaseAndElseTheEnvironmentDoes(t *testing.T) {
	for _, test := range []struct {
		environment   string
		chosen, wants binaries.Release
	}{
		{"", "", binaries.Present},
		{"present", "", binaries.Present},
		{"previous", "", binaries.Previous},
		{"previous", binaries.Present, binaries.Present},
		{"", binaries.Previous, binaries.Previous},
		{"next", binaries.Present, binaries.Present},
	} {
		t.Setenv(releaseVariable, test.environment)
		if got, err := (Options{Release: test.chosen}).release(); err != nil || got != test.wants {
			t.Errorf("%q in the environment, and %q chosen: got %q, %v", test.environment, test.chosen, got, err)
		}
	}
	t.Setenv(releaseVariable, "next")
	if got, err := (Options{}).release(); err == nil {
		t.Errorf("got the release %q", got)
	}
}
