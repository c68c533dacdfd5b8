package docs

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	shellquote "github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// tree returns the commands of the plugin.
func tree() *cobra.Command {
	return cmd.NewRoot(process.Streams{IOStreams: genericiooptions.IOStreams{
		In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard,
	}})
}

func TestEveryCommandThatIsShownIsUnderstood(t *testing.T) {
	checked := 0
	for _, page := range pages(t) {
		blocks, _ := page.split()
		for _, block := range blocks {
			if !slices.Contains([]string{"sh", "bash", "console"}, block.language) {
				continue
			}
			for _, args := range invocations(block) {
				checked++
				command, rest, err := tree().Find(args)
				if err == nil && command.HasParent() {
					err = command.ParseFlags(rest)
				}
				if err != nil || !command.HasParent() {
					t.Errorf("%s: kubectl informer %s: %v", page.path, strings.Join(args, " "), err)
				}
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d commands were found", checked)
	}
}

// Commands that are shown for what is wrong with them.
func deliberate() []string { return []string{"list podz", "list pods --nope"} }

// invocations are the plugin's arguments in the commands of a block, up to a
// COMMAND or to what the shell does with their output.
func invocations(b block) [][]string {
	var all [][]string
	for _, words := range lines(b) {
		for i := range words {
			plugin := words[i] == "kubectl-informer" && (i == 0 || endsArguments(words[i-1])) ||
				words[i] == "informer" && i > 0 && words[i-1] == "kubectl"
			if !plugin {
				continue
			}
			args := words[i+1:]
			if end := slices.IndexFunc(args, endsArguments); end >= 0 {
				args = args[:end]
			}
			if len(args) > 0 && !slices.Contains(deliberate(), strings.Join(args, " ")) {
				all = append(all, args)
			}
		}
	}
	return all
}

func endsArguments(word string) bool {
	return slices.Contains([]string{"--", "|", "&&", ">", ">>", "<", "}"}, word) || strings.HasSuffix(word, ";")
}

// lines are the words of a block's commands; one may span lines.
func lines(b block) [][]string {
	var all [][]string
	comment := regexp.MustCompile(`(^|\s{2,})#.*`)
	pending := ""
	for line := range strings.Lines(b.text) {
		line = strings.TrimRight(line, "\n")
		if b.language == "console" && pending == "" {
			var typed bool
			if line, typed = strings.CutPrefix(line, "$ "); !typed {
				continue
			}
		}
		line = comment.ReplaceAllString(line, "")
		if continued, ok := strings.CutSuffix(line, `\`); ok {
			pending += continued + " "
			continue
		}
		words, err := shellquote.Split(pending + line)
		if err != nil { // a quote is open
			pending += line + "\n"
			continue
		}
		pending = ""
		all = append(all, words)
	}
	return all
}

// The table of flags by purpose has every flag that help shows.
func TestEveryFlagIsInTheTableByPurpose(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/commands.md"), "\n## Flags by purpose\n")
	var visit func(*cobra.Command)
	visit = func(command *cobra.Command) {
		command.Flags().VisitAll(func(flag *pflag.Flag) {
			if flag.Hidden || slices.Contains([]string{"help", "v", "vmodule"}, flag.Name) {
				return
			}
			if !regexp.MustCompile("--" + regexp.QuoteMeta(flag.Name) + `\b[^-]`).MatchString(table) {
				t.Errorf("%s --%s", command.CommandPath(), flag.Name)
			}
		})
		for _, child := range command.Commands() {
			if child.IsAvailableCommand() && child.Name() != "completion" {
				visit(child)
			}
		}
	}
	visit(tree())
}

func TestRecipesOfTheREADMEAreThoseThatAreTested(t *testing.T) {
	recipes := read(t, "docs/recipes.md")
	_, section, _ := strings.Cut(read(t, "README.md"), "\n## Recipes\n")
	blocks, _ := page{text: section}.split()
	shown := strings.Split(strings.TrimSpace(blocks[0].text), "\n\n")
	if len(shown) < 4 {
		t.Errorf("%d recipes", len(shown))
	}
	for _, recipe := range shown {
		title, command, _ := strings.Cut(recipe, "\n")
		if !strings.Contains(recipes, "#"+title+"\n\n```bash\n"+command+"\n```") {
			t.Errorf("docs/recipes.md has no such recipe:\n%s", recipe)
		}
	}
}

// The comment at the head of plugins.yaml is where the keys are documented.
func TestEveryKeyForK9sIsInTheHeadOfItsFile(t *testing.T) {
	head, entries, _ := strings.Cut(read(t, "plugins.yaml"), "\nplugins:\n")
	keys := regexp.MustCompile(`shortCut: (\S+)`).FindAllStringSubmatch(entries, -1)
	if len(keys) == 0 {
		t.Fatal("plugins.yaml has no keys")
	}
	for _, key := range keys {
		if !strings.Contains(head, "#   "+key[1]+" ") {
			t.Errorf("the head of plugins.yaml has no %s", key[1])
		}
	}
}

// README is the door, not the house: what is longer has a page under docs.
func TestTheREADMEStaysShort(t *testing.T) {
	if size := len(read(t, "README.md")); size > 8600 {
		t.Errorf("%d bytes", size)
	}
}
