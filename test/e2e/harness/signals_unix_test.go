//go:build unix

package harness

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// inner says that this is the test that runs inside the test, with what its
// caller ignores.
const inner = "HARNESS_TEST_INNER"

func TestMain(m *testing.M) {
	Exit(RunAlways(m, func(context.Context, string) (func() error, error) { return nil, nil }))
}

func TestProgramsHearSignalsThatTheCallerIgnores(t *testing.T) {
	if os.Getenv(inner) != "" {
		programsHear(t)
		return
	}
	// As nohup(1) starts a program, and a shell one in the background.
	test := exec.CommandContext(t.Context(), "sh", "-c", `trap "" HUP INT; exec "$0" -test.run="$1" -test.count=1`, os.Args[0], "^"+t.Name()+"$")
	test.Env = append(os.Environ(), inner+"=true")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func programsHear(t *testing.T) {
	for _, signal := range []string{"HUP", "INT"} {
		ended, err := Follow(exec.CommandContext(t.Context(), "sh", "-c", "kill -"+signal+" $$; echo deaf"))
		if err != nil {
			t.Fatal(err)
		}
		if result, err := ended.Wait(); err != nil || result.Code != -1 || result.Stdout != "" {
			t.Errorf("SIG%s, followed: got %+v, %v; want it to end the program", signal, result, err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/"+strings.ToLower(signal), []byte("#!/bin/sh\nkill -"+signal+" $$; echo deaf\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		result, err := Programs{dir}.Run(context.Background(), nil, strings.ToLower(signal))
		if err != nil || result.Code != -1 || result.Stdout != "" {
			t.Errorf("SIG%s, run: got %+v, %v; want it to end the program", signal, result, err)
		}
	}
}
