package cmd

import (
	"strings"
	"testing"
)

func TestAShellWithoutCompletionIsAnError(t *testing.T) {
	stdout, stderr, code := askDump(t, nil, "", "completion tcsh")
	if code != 1 || stdout != "" || stderr != "error: unsupported shell type \"tcsh\": it can be one of bash, fish, powershell, zsh\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	stdout, stderr, code = askDump(t, nil, "", "completion")
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, "Print the script with which a shell completes") {
		t.Errorf("without a shell: code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
