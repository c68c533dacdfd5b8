package cmd

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/handler"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

func TestFlagsOfACommandAreNotTakenWithoutOne(t *testing.T) {
	for name, value := range map[string]string{"parallel": "3", "retries": "1", "command-timeout": "1s", "grace-period": "1s"} {
		stdout, stderr, code := askDump(t, nil, "", "tail pods --"+name+" "+value)
		if code != 1 || stdout != "" || stderr != "error: --"+name+" needs a COMMAND: tail TYPE -- COMMAND\n" {
			t.Errorf("--%s: code %d, stdout %q, stderr %q", name, code, stdout, stderr)
		}
	}
}

func TestFlagsWithoutEffectAreNotTakenWithACommand(t *testing.T) {
	for _, flag := range []string{"--color=always", "-L=app", "--label-columns=app", "--show-labels", "--no-headers", "--show-kind",
		"--sync-events", "--template={{.type}}", "--allow-missing-template-keys=false"} {
		name := strings.Replace(strings.TrimLeft(strings.Split(flag, "=")[0], "-"), "L", "label-columns", 1)
		stdout, stderr, code := askDump(t, nil, "", "tail pods "+flag+" -- true")
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "error: --"+name+" cannot be used with a COMMAND: ") {
			t.Errorf("%s: code %d, stdout %q, stderr %q", flag, code, stdout, stderr)
		}
	}
}

func TestASecondSignalKillsTheCommandsOfItsOwnInvocation(t *testing.T) {
	streams := process.Streams{IOStreams: genericiooptions.NewTestIOStreamsDiscard()}
	streams.Processes = handler.NewProcesses()
	flags := &commandFlags{parallel: 1}
	o, err := flags.toOptions([]string{"true"}, printers.NewFlags().AsJSON(), streams.Owned())
	if err != nil {
		t.Fatal(err)
	}
	if o.Processes == nil || o.Processes != streams.Processes {
		t.Error("the COMMAND is run by others than those that the signal kills")
	}
}
