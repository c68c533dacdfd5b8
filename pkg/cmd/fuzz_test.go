package cmd

import (
	"slices"
	"testing"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

// A line means the same when its words are quoted again, and nothing in it is
// expanded or run.
func FuzzQueryLine(f *testing.F) {
	for _, seed := range []string{
		"", " ", "--by name=a", `--by 'name=a b' -o name`, `--by "a\"b=c"`, "-n a,b -A", "-l 'app in (web)'", "--count-by node", "--limit 3",
		"--where 'object.spec.x == 1'", "--where object.", "--sort-by=.metadata.name", "$(reboot) `reboot`", "--by name=$HOME", "-o custom-columns=A:.b",
		"-o jsonpath='{.a}'", "-o go-template={{.a}}", "-o", "--", "--help", "-h", "--by", "'", `\`, "--nope", "-l =", "--cel-cost-limit -1",
		"--by name=a\x00", "-o yaml --show-managed-fields", "--null", "-nn -n n", "--by=a=@pod/x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		parsed, err := parseLine(line, match.DefaultCostLimit)
		words, splitErr := shellquote.Split(line)
		if splitErr != nil {
			if err == nil {
				t.Fatalf("%q is no line of a shell: %v", line, splitErr)
			}
			return
		}
		again, againErr := parseLine(shellquote.Join(words...), match.DefaultCostLimit)
		if (err == nil) != (againErr == nil) {
			t.Fatalf("%q: got %v, but %v when it is quoted again", line, err, againErr)
		}
		if err != nil {
			return
		}
		for _, pair := range [][2][]string{{parsed.by, again.by}, {parsed.where, again.where}, {parsed.namespaces, again.namespaces}, {parsed.selectors, again.selectors}, {{parsed.countBy}, {again.countBy}}} {
			if !slices.Equal(pair[0], pair[1]) {
				t.Errorf("%q: got %q, but %q when it is quoted again", line, pair[0], pair[1])
			}
		}
		for _, value := range slices.Concat(parsed.by, parsed.where) {
			if !slices.ContainsFunc(words, func(word string) bool { return len(word) >= len(value) && word[len(word)-len(value):] == value }) {
				t.Errorf("%q: %q is not in it", line, value)
			}
		}
	})
}
