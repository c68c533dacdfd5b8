package cmd

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
	word := strings.Repeat("né", 100_000)
	spaced := strings.Repeat("a ", 100_000)
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
