package cmd

import "testing"

func TestFlagsOfACommandAreNotTakenWithoutOne(t *testing.T) {
	for name, value := range map[string]string{"parallel": "3", "retries": "1", "command-timeout": "1s", "grace-period": "1s"} {
		stdout, stderr, code := askDump(t, nil, "", "tail pods --"+name+" "+value)
		if code != 1 || stdout != "" || stderr != "error: --"+name+" needs a COMMAND: tail TYPE -- COMMAND\n" {
			t.Errorf("--%s: code %d, stdout %q, stderr %q", name, code, stdout, stderr)
		}
	}
}
