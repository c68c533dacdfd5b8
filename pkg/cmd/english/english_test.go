package english_test

import (
	"os"
	"os/exec"
	"testing"

	"k8s.io/kubectl/pkg/cmd/options"

	_ "github.com/kubectl-informer/kubectl-informer/pkg/cmd/english"
)

// German is asked for in a process of its own: kubectl's packages translate when they
// are initialized.
func TestTextsOfKubectlAreEnglishWhateverTheLocale(t *testing.T) {
	const english = "Print the list of flags inherited by all commands"
	if os.Getenv("LC_ALL") != "de_DE.UTF-8" {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		again.Env = append(os.Environ(), "LC_ALL=de_DE.UTF-8")
		if out, err := again.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if got := options.NewCmdOptions(nil).Short; got != english {
		t.Errorf("got %q, want %q", got, english)
	}
}
