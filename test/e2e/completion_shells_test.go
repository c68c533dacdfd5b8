package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

// asked is a line typed into a shell up to a Tab, and what the shell makes of it.
type asked struct{ name, line, want string }

// shell runs a shell that is not everybody's, with the plugin and kubectl in its
// PATH, and returns what it says.
func shell(t *testing.T, kubeconfig string, variables []string, name string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("this machine has no %s: %v", name, err)
	}
	command := exec.CommandContext(t.Context(), path, args...)
	command.Env = append(fixture.programs.Environ(fixture.home, kubeconfig), variables...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// completionScripts returns a variable that names a folder, with what the plugin and
// kubectl print for a shell to source: once, for all that is asked of the shell.
func completionScripts(t *testing.T, shell string) (variable string) {
	t.Helper()
	dir := t.TempDir()
	for _, program := range []string{"kubectl-informer", "kubectl"} {
		printed, err := fixture.programs.Run(t.Context(), fixture.programs.Environ(fixture.home, fixture.admin), program, "completion", shell)
		if err != nil || printed.Code != 0 || printed.Stderr != "" {
			t.Fatalf("%s completion %s: %+v, %v", program, shell, printed, err)
		}
		if err := os.WriteFile(filepath.Join(dir, program), []byte(printed.Stdout), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "SCRIPTS=" + dir
}

// checkShell asks until the answer is the wanted one: on a machine that is busy
// with other tests an answer may not be found in time.
func checkShell(t *testing.T, ask func(*testing.T, asked) string, questions []asked) {
	t.Helper()
	for _, question := range fewer(questions) {
		t.Run(question.name, func(t *testing.T) {
			t.Parallel()
			var answer string
			for range tries {
				if answer = ask(t, question); answer == question.want {
					return
				}
			}
			t.Errorf("%q: got %q, want %q", question.line, answer, question.want)
		})
	}
}

// fewer are all questions, or with -short the first and the last: each is a shell of its
// own.
func fewer[Q any](questions []Q) []Q {
	if testing.Short() {
		return []Q{questions[0], questions[len(questions)-1]}
	}
	return questions
}

// fishAsks prints what fish offers for its last argument, a word and what it
// says of it a line.
const fishAsks = `
source $SCRIPTS/kubectl-informer
source $SCRIPTS/kubectl
complete --do-complete $argv[1]
`

func TestCompletionInFish(t *testing.T) {
	scripts := completionScripts(t, "fish")
	ask := func(t *testing.T, question asked) string {
		t.Helper()
		return shell(t, fixture.admin, []string{scripts}, "fish", "--no-config", "-c", fishAsks, question.line)
	}
	checkShell(t, ask, []asked{
		{"a command", "kubectl-informer lis", "list\tList objects, or an index's values, from an informer's cache\n"},
		{"a type", "kubectl-informer list deploym", "deployments\n"},
		{"names", "kubectl-informer list deploy ", "cart\nimages\nlegacy\nweb\n"},
		{"a namespace", "kubectl-informer list pods -n sh", "shop\n"},
		{"values", "kubectl-informer list deploy --by label=tier=", "label=tier=front\t2 objects\nlabel=tier=middle\t1 object\n"},
		{"a value behind a flag's =", "kubectl-informer list deploy --by=label=tier=m", "--by=label=tier=middle\t1 object\n"},
		// What stands between a dash and an = was taken for a flag.
		{"a value of a label with a dash", "kubectl-informer list deploy --by label=app.kubernetes.io/part-of=", "label=app.kubernetes.io/part-of=shop\t4 objects\n"},
		{"a command, of kubectl", "kubectl informer lis", "list\tList objects, or an index's values, from an informer's cache\n"},
		{"a type, of kubectl", "kubectl informer list deploym", "deployments\n"},
		{"names, of kubectl", "kubectl informer list deploy ", "cart\nimages\nlegacy\nweb\n"},
		{"values, of kubectl", "kubectl informer list deploy --by label=tier=m", "label=tier=middle\t1 object\n"},
	})
}

// The configuration of a zsh that writes the line that is being typed into the
// file $ANSWER when Ctrl-X Ctrl-P is pressed, and ends.
const zshrc = `
autoload -Uz compinit && compinit -C -d $SCRIPTS/dump
source $SCRIPTS/kubectl-informer
source $SCRIPTS/kubectl
answer() { print -r -- "$BUFFER" >$ANSWER; exit }
zle -N answer
bindkey '^X^P' answer
PROMPT='ready> '
`

// zshAsks types its argument and a Tab into a zsh on a terminal.
const zshAsks = `
zmodload zsh/zpty
zpty shell zsh -i
zpty -r -m shell screen '*ready> *'
zpty -n -w shell "$1"$'\t\x18\x10'
zpty -r shell screen '*what never comes, so up to the end*' || true
`

// zshScripts are completionScripts, and zsh's own, found once.
func zshScripts(t *testing.T) (variable string) {
	t.Helper()
	variable = completionScripts(t, "zsh")
	shell(t, fixture.admin, []string{variable}, "zsh", "-f", "-c", "autoload -Uz compinit && compinit -u -d $SCRIPTS/dump")
	return variable
}

// askZsh returns the line that zsh makes of one by a Tab.
func askZsh(t *testing.T, kubeconfig, scripts, line string) string {
	t.Helper()
	dir := t.TempDir()
	answer := filepath.Join(dir, "answer")
	if err := os.WriteFile(filepath.Join(dir, ".zshrc"), []byte(zshrc), 0o600); err != nil {
		t.Fatal(err)
	}
	said := shell(t, kubeconfig, []string{scripts, "ZDOTDIR=" + dir, "ANSWER=" + answer, "TERM=xterm"}, "zsh", "-f", "-c", zshAsks, "zsh", line)
	completed, err := os.ReadFile(answer)
	if err != nil {
		t.Fatalf("%v; zsh says %q", err, said)
	}
	return strings.TrimSuffix(string(completed), "\n")
}

func TestCompletionInZsh(t *testing.T) {
	scripts := zshScripts(t)
	ask := func(t *testing.T, question asked) string {
		t.Helper()
		return askZsh(t, fixture.admin, scripts, question.line)
	}
	checkShell(t, ask, []asked{
		{"a command", "kubectl-informer lis", "kubectl-informer list "},
		{"a type", "kubectl-informer list deploym", "kubectl-informer list deployments "},
		{"a name", "kubectl-informer list deploy w", "kubectl-informer list deploy web "},
		{"a namespace", "kubectl-informer list pods -n sh", "kubectl-informer list pods -n shop "},
		{"an index", "kubectl-informer list pods --by nod", "kubectl-informer list pods --by node="},
		{"a value", "kubectl-informer list deploy --by label=tier=m", "kubectl-informer list deploy --by label=tier=middle "},
		{"a value behind a flag's =", "kubectl-informer list deploy --by=label=tier=m", "kubectl-informer list deploy --by=label=tier=middle "},
		// What stands between a dash and an = was taken for a flag.
		{"a value of a label with a dash", "kubectl-informer list deploy --by label=app.kubernetes.io/part-of=",
			"kubectl-informer list deploy --by label=app.kubernetes.io/part-of=shop "},
		{"a command, of kubectl", "kubectl informer lis", "kubectl informer list "},
		{"a type, of kubectl", "kubectl informer list deploym", "kubectl informer list deployments "},
		{"a value, of kubectl", "kubectl informer list deploy --by label=tier=m", "kubectl informer list deploy --by label=tier=middle "},
	})
}

// unreachable is the kubeconfig of a server that is down.
func unreachable(t *testing.T) string {
	t.Helper()
	kubeconfig, err := fixture.cluster.Kubeconfig(cluster.Admin, cluster.KubeconfigOptions{Server: "https://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

func TestCompletionInAShellIsSilentWhenTheServerIsDown(t *testing.T) {
	kubeconfig := unreachable(t)
	lines := fewer([]string{"kubectl-informer list deploym", "kubectl-informer list pods w", "kubectl informer list pods -n sh"})
	t.Run("fish", func(t *testing.T) {
		t.Parallel()
		scripts := completionScripts(t, "fish")
		for _, line := range lines {
			if out := shell(t, kubeconfig, []string{scripts}, "fish", "--no-config", "-c", fishAsks, line); out != "" {
				t.Errorf("%q: fish says %q", line, out)
			}
		}
	})
	t.Run("zsh", func(t *testing.T) {
		t.Parallel()
		scripts := zshScripts(t)
		for _, line := range lines {
			if got := askZsh(t, kubeconfig, scripts, line); got != line {
				t.Errorf("%q became %q", line, got)
			}
		}
	})
	t.Run("bash", func(t *testing.T) {
		t.Parallel()
		scripts := completionScripts(t, "bash")
		for _, line := range lines {
			words := append([]string{"-c", bashAsks, "bash"}, strings.Fields(line)...)
			if out := shell(t, kubeconfig, []string{scripts}, "bash", words...); out != "\n" {
				t.Errorf("%q: bash says %q", line, out)
			}
		}
	})
}
