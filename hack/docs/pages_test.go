package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// makeAll returns the pages of all forms.
func makeAll(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, form := range forms() {
		pages, err := form.pages()
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(all, pages)
	}
	return all
}

// The reference is kept in the tree, where it is read; manual pages are made for a
// release.
func TestTheReferenceIsThatOfTheCommands(t *testing.T) {
	pages, err := forms()["reference"].pages()
	if err != nil {
		t.Fatal(err)
	}
	const directory = "../../docs/reference"
	paths, err := filepath.Glob(filepath.Join(directory, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, path := range paths {
		written = append(written, filepath.Base(path))
	}
	if want := slices.Sorted(maps.Keys(pages)); !slices.Equal(written, want) {
		t.Fatalf("docs/reference has the pages\n%q, the commands make\n%q; run `make docs`", written, want)
	}
	for _, name := range written {
		page, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(page, pages[name]) {
			t.Errorf("docs/reference/%s is not what the command says; run `make docs`", name)
		}
	}
}

func TestTheTableOfFlagsIsThatOfTheCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := withTable(string(text)); err != nil || string(text) != want {
		t.Errorf("the table in docs/commands.md is not what the commands say; run `make docs`: %v", err)
	}
	if _, err := withTable("# Something else\n"); err == nil {
		t.Error("a text without the section takes a table")
	}
}

func TestAPageHasItsFlagsByPurpose(t *testing.T) {
	all := makeAll(t)
	for name, order := range map[string][]string{
		"kubectl-informer-tail.1": {".SH OPTIONS\n.SS Choose objects\n.TP\n\\fB-n\\fP, ", ".SS Follow changes\n", ".TP\n\\fB--events\\fP",
			".SS Print\n", ".SH OPTIONS INHERITED", ".SS Connect, as kubectl does\n.TP\n\\fB--context\\fP", ".SH EXAMPLE\n"},
		"kubectl_informer_wait.md": {"\n### Options\n\n#### Choose objects\n\n```\n  -n, --namespace", "\n#### Wait\n\n```\n      --for ",
			"\n### Options inherited from parent commands\n", "\n#### Connect, as kubectl does\n", "\n### SEE ALSO\n"},
		"kubectl-informer.1":  {".SH OPTIONS\n", ".SS Connect, as kubectl does\n.TP\n\\fB--context\\fP", ".SH SEE ALSO"},
		"kubectl_informer.md": {"\n### Options\n", "\n#### Connect, as kubectl does\n", "\n### SEE ALSO\n"},
	} {
		at := -1
		for _, part := range order {
			next := strings.Index(string(all[name]), part)
			if next <= at {
				t.Errorf("%s: %q is not behind what should precede it:\n%s", name, part, all[name])
			}
			at = next
		}
	}
}

func TestThePagesAreTheSameOnEveryMachine(t *testing.T) {
	here := makeAll(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECACHEDIR", t.TempDir())
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "config"))
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	t.Setenv("COLUMNS", "40")
	there := makeAll(t)
	for name := range here {
		if !bytes.Equal(here[name], there[name]) {
			t.Errorf("%s depends on the machine", name)
		}
	}
}

func TestThePagesNameTheProgramAsUsersTypeIt(t *testing.T) {
	for name, want := range map[string]string{
		"kubectl-informer-list.1":  `\fBkubectl informer list (TYPE[\&.VERSION][\&.GROUP] [NAME...] | TYPE/NAME ...) [flags]\fP`,
		"kubectl_informer_list.md": "\nkubectl informer list (TYPE[.VERSION][.GROUP] [NAME...] | TYPE/NAME ...) [flags]\n",
		"kubectl_informer.md":      "\nkubectl informer COMMAND [flags]\n",
	} {
		if page := string(makeAll(t)[name]); !strings.Contains(page, want) {
			t.Errorf("%s has no %q:\n%s", name, want, page)
		}
	}
}

func TestThePagesLeaveOutWhatIsHidden(t *testing.T) {
	for name, page := range makeAll(t) {
		if bytes.Contains(page, []byte("__complete")) {
			t.Errorf("%s has the hidden command __complete", name)
		}
	}
}

// oddCommand has words that mean something to Markdown.
func oddCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "odd [flags] [*...]",
		Short: "Take *all* of a[*].b",
		Long:  "First.\n\n A <word>, a `quote` and \\n.\n\n\tcode: a[*]",
		Run:   func(*cobra.Command, []string) {},
	}
	command.Flags().String("path", "", `as in '{.labels.a\.b}' or [*]`)
	return command
}

func TestAManualPageShowsTheWordsOfHelpAsTheyAre(t *testing.T) {
	command := oddCommand()
	manWords(command)
	page, err := manPage(command)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nodd - Take *all* of a[*].b\n",
		"\n\\fBodd [flags] [*...]\\fP\n",
		"\nA <word>, a `quote` and \\\\n.\n",
		"\ncode: a[*]\n",
		".TP\n\\fB--path\\fP=\"\"\nas in '{.labels.a\\\\\\&.b}' or [*]\n",
	} {
		// An escaped full stop is one that cannot begin a request.
		if !strings.Contains(string(page), want) && !strings.Contains(strings.ReplaceAll(string(page), `\&.`, "."), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

func TestAPageOfTheReferenceShowsTheWordsOfHelpAsTheyAre(t *testing.T) {
	command := oddCommand()
	referenceWords(command)
	page, err := referencePage(command)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`Take \*all\* of a\[\*\].b`,
		"\nA \\<word>, a \\`quote\\` and \\\\n.\n",
		"\n\tcode: a[*]\n",
		"\nodd [flags] [*...]\n",
		`as in '{.labels.a\.b}' or [*]`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}

func TestWritingRemovesThePagesOfCommandsThatAreGone(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "man")
	gone := filepath.Join(directory, "kubectl-informer-gone.1")
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gone, []byte("gone"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write("man", directory); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(gone); !os.IsNotExist(err) {
		t.Errorf("the page is still there: %v", err)
	}
	pages, err := forms()["man"].pages()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range pages {
		if page, err := os.ReadFile(filepath.Join(directory, name)); err != nil || !bytes.Equal(page, want) {
			t.Errorf("%s: %v, or not the page", name, err)
		}
	}
}

func TestAnUnknownFormIsAnError(t *testing.T) {
	if err := write("html", t.TempDir()); err == nil || !strings.Contains(err.Error(), `"html"`) {
		t.Errorf("got %v", err)
	}
}
