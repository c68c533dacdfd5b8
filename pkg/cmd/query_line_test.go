package cmd

import (
	"bufio"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

func TestALineIsSplitAsAShellSplitsIt(t *testing.T) {
	for line, want := range map[string]string{
		`--by name=web`:                     `name=web`,
		`  --by	name=web  `:                 `name=web`,
		`--by=name=web`:                     `name=web`,
		`--by 'name=a b'`:                   `name=a b`,
		`--by name=a\ b`:                    `name=a b`,
		`--by "name=a\"b"`:                  `name=a"b`,
		`--by 'labels.a\.b=c'`:              `labels.a\.b=c`,
		`--by "labels.a\.b=c"`:              `labels.a\.b=c`,
		`--by labels.a\\.b=c`:               `labels.a\.b=c`,
		`--by name=w'e'"b"`:                 `name=web`,
		`--by name=`:                        `name=`,
		`--by name=$HOME`:                   `name=$HOME`,
		`--by name=a;b|c>d&e`:               `name=a;b|c>d&e`,
		`--by name=größe`:                   `name=größe`,
		`--by data[?(@.a=="b")].c=d`:        `data[?(@.a==b)].c=d`,
		`--by 'data[?(@.a=="b")].c=d'`:      `data[?(@.a=="b")].c=d`,
		`--by name=a --by node=b`:           `name=a node=b`,
		`--by name='a' --by node=b --by c=`: `name=a node=b c=`,
	} {
		flags, err := parseLine(line, match.DefaultCostLimit)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := strings.Join(flags.by, " "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

func TestALineThatIsNoneIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		`pods`:                     "a line holds flags only, not pods",
		`-o name; ls`:              "a line holds flags only, not ls",
		`--by name=a # a note`:     "a line holds flags only, not #",
		`--by 'name=a`:             "Unterminated single-quoted string",
		`--by name=a\`:             "Unterminated backslash-escape",
		`--nope`:                   "unknown flag: --nope",
		`--field-selector a=b`:     "unknown flag: --field-selector",
		`--help`:                   `a line holds the flags of "list"`,
		`-h`:                       `a line holds the flags of "list"`,
		`--by name`:                `invalid --by "name"`,
		`--where object.`:          "--where: ERROR: <input>:1:8",
		`--where oldObject==null`:  "undeclared reference to 'oldObject'",
		`-l 'a in ('`:              "unable to parse requirement",
		`-o xml`:                   `output format "xml"`,
		`--limit -1`:               "--limit must not be negative",
		`--sort-by {.a`:            "sorting error",
		`--show-labels -o json`:    "--show-labels option cannot be used with json printer",
		`--template={{ -o go-tem…`: "output format",
	} {
		if _, err := parseLine(line, match.DefaultCostLimit); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s", line, err, want)
		}
	}
}

func TestSelectorsOfALineAreAllMet(t *testing.T) {
	flags, err := parseLine(`-l 'app in (web, db)' -l tier!=back -l ''`, match.DefaultCostLimit)
	if err != nil {
		t.Fatal(err)
	}
	for selected, want := range map[string]bool{"app=web": true, "app=db,tier=front": true, "app=db,tier=back": false, "tier=front": false} {
		set, err := labels.ConvertSelectorToLabelsMap(selected)
		if err != nil {
			t.Fatal(err)
		}
		if got := flags.selected.Matches(set); got != want {
			t.Errorf("%s: %v", selected, got)
		}
	}
	everything, err := parseLine("", match.DefaultCostLimit)
	if err != nil || !everything.selected.Empty() {
		t.Errorf("an empty line selects %v, %v", everything.selected, err)
	}
}

func TestALineLooksWhereTheSessionHasObjectsAndNowhereElse(t *testing.T) {
	all := printers.Scope{AllNamespaces: true}
	two := printers.Scope{Namespaces: []string{"shop", "dev"}}
	for _, test := range []struct {
		line    string
		session printers.Scope
		want    []string
		err     string
	}{
		{"", all, nil, ""},
		{"", two, []string{"shop", "dev"}, ""},
		{"-A", all, nil, ""},
		{"-A", two, nil, "this session does not have all namespaces"},
		{"-A -n shop", all, nil, ""},
		{"-n shop", all, []string{"shop"}, ""},
		{"-n shop,batch -n dev", all, []string{"shop", "batch", "dev"}, ""},
		{"-n shop", two, []string{"shop"}, ""},
		{"-n dev,shop", two, []string{"dev", "shop"}, ""},
		{"-n shop,batch", two, nil, `this session does not have the namespace "batch"`},
	} {
		flags, err := parseLine(test.line, match.DefaultCostLimit)
		if err != nil {
			t.Fatal(err)
		}
		scope, err := flags.scope(test.session)
		switch {
		case test.err != "":
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q in %v: got error %v", test.line, test.session, err)
			}
		case err != nil || !slices.Equal(scope.Namespaces, test.want) || scope.AllNamespaces != (test.want == nil):
			t.Errorf("%q in %v: got %v, %v", test.line, test.session, scope, err)
		}
	}
}

func TestTheNamespaceOfALineIsNothingToTypesThatAreInNone(t *testing.T) {
	flags, err := parseLine("-n shop,dev --by name=a", match.DefaultCostLimit)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := index.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes := cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Node"}}
	for _, test := range []struct {
		target    cache.Target
		namespace string
		want      bool
	}{{nodes, "", true}, {somePods, "dev", true}, {somePods, "batch", false}} {
		bound, err := flags.queryFor(test.target).Bind(registry, test.target)
		if err != nil {
			t.Fatal(err)
		}
		row := &cache.Row{}
		row.Name, row.Namespace = "a", test.namespace
		if got := bound.Match(row); got != test.want {
			t.Errorf("%s in %q: %v", test.target.Resource.Resource, test.namespace, got)
		}
	}
}

const longLine = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the line is longer than 1 MiB","reason":"BadRequest","code":400}` + "\n---\n"

func TestALineWithoutEndIsNotReadIntoMemory(t *testing.T) {
	const good, answer = "-o name --by name=db-0", "pod/db-0\n---\n"
	endless := strings.Repeat("\x00", 5*maxLine)
	for name, test := range map[string]struct{ input, want string }{
		"alone":                  {endless, longLine},
		"ended":                  {endless + "\n", longLine},
		"between questions":      {good + "\n" + endless + "\n" + good, answer + longLine + answer},
		"twice":                  {endless + "\n" + endless + "\n" + good, longLine + longLine + answer},
		"one byte too long":      {strings.Repeat(" ", maxLine) + "\n" + good, longLine + answer},
		"not too long by a byte": {good + strings.Repeat(" ", maxLine-len(good)-1) + "\n" + good, answer + answer},
	} {
		t.Run(name, func(t *testing.T) {
			if got, stderr := askQuery(t, "", test.input); got != test.want || stderr != "" {
				t.Errorf("got %.500q, want %q, stderr %q", got, test.want, stderr)
			}
		})
	}
}

// What is read of it is bounded, and the answer does not wait for its end.
func TestALineIsFoundTooLongBeforeItsEnd(t *testing.T) {
	source := &counting{}
	line, err := readLine(bufio.NewReaderSize(source, 64<<10))
	if line.err == nil || err != nil || source.read > maxLine+128<<10 {
		t.Errorf("%v, %v after %d bytes", line.err, err, source.read)
	}
}

// counting is a source of zeros without end.
type counting struct{ read int }

func (c *counting) Read(p []byte) (int, error) {
	clear(p)
	c.read += len(p)
	return len(p), nil
}

func TestALineIsReadInWhateverPiecesItComes(t *testing.T) {
	in := bufio.NewReader(iotest.OneByteReader(strings.NewReader("a b\n\nc")))
	for _, want := range []string{"a b\n", "\n", "c"} {
		if line, _ := readLine(in); line.text != want || line.err != nil {
			t.Errorf("got %+v, want %q", line, want)
		}
	}
}

func TestABadWordIsNotRepeatedAtFullLength(t *testing.T) {
	word := strings.Repeat("né", 20_000)
	spaced := strings.Repeat("a ", 20_000)
	for _, line := range []string{
		word, "--" + word, "--by " + word, "--by " + word + "=x", "--by '" + spaced + "'", "'" + spaced + "'",
		"--count-by " + word, "--where " + word, "-o " + word, "-l '" + spaced + "'", "-l '" + word + " in ('",
		"--by name=@pod/" + word, "--by name=@" + word + "/x", "--limit " + word, "--sort-by {" + word, "-o 'go-template={{" + word + "}}'",
	} {
		got, _ := askQuery(t, "", line)
		var status metav1.Status
		if err := json.Unmarshal([]byte(strings.TrimSuffix(got, "---\n")), &status); err != nil {
			t.Fatalf("%.30s: %v: %.300q", line, err, got)
		}
		if status.Status != metav1.StatusFailure || status.Message == "" || len(got) > 2*maxMessage {
			t.Errorf("%.30s: %d bytes: %.300s", line, len(got), got)
		}
		if longest := strings.Count(status.Message, "né"); longest > 2*maxQuoted && !strings.Contains(status.Message, "\n | ") {
			t.Errorf("%.30s: repeated %d times: %.300s", line, longest, got)
		}
	}
}

func TestAMessageIsShortenedBetweenItsWords(t *testing.T) {
	long := strings.Repeat("x", 300)
	for message, want := range map[string]string{
		"unknown flag: --nope":                     "unknown flag: --nope",
		"no " + long + " here":                     "no " + long[:50] + "…" + long[:49] + " here",
		`no "` + long + `": it has "a", "b"`:       `no "` + long[:49] + `…` + long[:48] + `": it has "a", "b"`,
		`no "x y \" ` + long + `" here`:            `no "x y \" ` + long[:42] + `…` + long[:48] + `" here`,
		"ERROR: 1:200\n | " + long + "\n | ....^":  "ERROR: 1:200\n | " + long + "\n | ....^",
		strings.Repeat("many ", 10) + "words\nand": strings.Repeat("many ", 10) + "words\nand",
	} {
		if got := shortened(message); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	if got := shortened(strings.Repeat("many ", 10_000)); utf8.RuneCountInString(got) != maxMessage {
		t.Errorf("%d characters", utf8.RuneCountInString(got))
	}
}
