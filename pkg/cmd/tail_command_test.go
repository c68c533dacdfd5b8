package cmd

import (
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

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

func TestASecondSignalKillsTheCommandsOfItsOwnInvocation(t *testing.T) {
	streams := Streams{IOStreams: genericiooptions.NewTestIOStreamsDiscard()}
	streams.processes = handler.NewProcesses()
	flags := &commandFlags{parallel: 1}
	o, err := flags.toOptions([]string{"true"}, printers.NewFlags().AsJSON(), streams.owned())
	if err != nil {
		t.Fatal(err)
	}
	if o.Processes == nil || o.Processes != streams.processes {
		t.Error("the COMMAND is run by others than those that the signal kills")
	}
}
