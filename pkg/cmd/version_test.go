package cmd

import (
	"runtime/debug"
	"testing"
)

func TestTheVersionIsThatOfGoInstall(t *testing.T) {
	for installed, want := range map[string]string{"v1.2.3": "v1.2.3", "(devel)": "", "": ""} {
		if got := mainVersion(&debug.BuildInfo{Main: debug.Module{Version: installed}}); got != want {
			t.Errorf("%s: got %s", installed, got)
		}
	}
}
