package dump

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// sectionsOf reads all sections, and the numbers of their first lines.
func sectionsOf(t *testing.T, text io.Reader) (sections []string, lines []int) {
	t.Helper()
	s := newSections(text)
	for {
		line, more := s.next()
		if !more {
			return sections, lines
		}
		section, err := io.ReadAll(s)
		if err != nil {
			t.Fatal(err)
		}
		sections, lines = append(sections, string(section)), append(lines, line)
	}
}

func TestADocumentEndsAtAMarkerAndNowhereElse(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, test := range map[string]struct {
		text     string
		sections []string
		lines    []int
	}{
		"one":                    {"a\nb\n", []string{"a\nb\n"}, []int{1}},
		"two":                    {"a\n---\nb\n", []string{"a\n", "b\n"}, []int{1, 3}},
		"a marker first":         {"---\na\n", []string{"", "a\n"}, []int{1, 2}},
		"an end and a beginning": {"a\n...\n---\nb", []string{"a\n", "", "b"}, []int{1, 3, 4}},
		"on the marker's line":   {"a\n--- b\nc\n", []string{"a\n", "--- b\nc\n"}, []int{1, 2}},
		"a comment at a marker":  {"a\n--- # b\nc\n", []string{"a\n", "c\n"}, []int{1, 3}},
		"text like a marker":     {"----\n a\n ---\n...b\n- ---\n", []string{"----\n a\n ---\n...b\n- ---\n"}, []int{1}},
		"a marker without line":  {"a\n---", []string{"a\n"}, []int{1}},
		"on Windows":             {"a\r\n---\r\nb\r\n", []string{"a\r\n", "b\r\n"}, []int{1, 3}},
		"lines beyond a buffer":  {long + "\n---\n" + long + "--- \n", []string{long + "\n", long + "--- \n"}, []int{1, 3}},
		"a marker at the edge":   {strings.Repeat("x", 64<<10) + "---\n", []string{strings.Repeat("x", 64<<10) + "---\n"}, []int{1}},
	} {
		for _, reader := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
			sections, lines := sectionsOf(t, reader)
			if !slices.Equal(sections, test.sections) || !slices.Equal(lines, test.lines) {
				t.Errorf("%s: got %.200q %v, want %.200q %v", name, sections, lines, test.sections, test.lines)
			}
		}
	}
}

func TestYAMLThatBeginsWithABraceIsNotTakenForJSON(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a: b": false, "- a": false, "# {\n{\"a\":1}": false,
		`{"a":1}`: true, " \n\t{\n \"a\": 1}": true, "{}": true, "[]": true, `[{"a":1}]`: true, "[": true,
		"{a: 1}": false, "{\n  apiVersion: \"v1\",\n}": false, "[{a: 1}]": false, "[1]": false,
		"{{ .Values.x }}": false,
	} {
		if got := isJSON(bufio.NewReader(strings.NewReader(text))); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// FuzzSections compares the documents with those that apimachinery finds.
func FuzzSections(f *testing.F) {
	for _, seed := range []string{"a\n---\nb\n", "---\n---\n\na", "a\n--- #x\nb", "----\n", "a\r\n---\r\n", "---", "a\n---\t\nb\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains("\n"+text, "\n...") || strings.Contains("\n"+text, "\n---#") || strings.ContainsAny(text, "\r\v\f\u0085\u00a0") {
			return // apimachinery knows no end of a document, and other ends of lines and markers
		}
		var want []string
		oracle := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
		for {
			document, err := oracle.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return // text on the line of a marker, which it refuses
			}
			want = append(want, trimmed(string(document)))
		}
		sections, lines := sectionsOf(t, strings.NewReader(text))
		var got []string
		for i, section := range sections {
			if before := strings.Count(text[:strings.LastIndex(text, section)], "\n"); lines[i] > before+1 {
				t.Errorf("%q: section %q is said to begin in line %d", text, section, lines[i])
			}
			got = append(got, trimmed(section))
		}
		if !slices.Equal(withContent(got), withContent(want)) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

// trimmed is a document without the markers before it, which apimachinery leaves in.
func trimmed(document string) string {
	var kept strings.Builder
	for line := range strings.Lines(document) {
		if marker, content := isMarker([]byte(line)); !marker || content {
			kept.WriteString(line)
		}
	}
	return strings.Trim(kept.String(), "\n")
}

func withContent(documents []string) []string {
	return slices.DeleteFunc(slices.Clone(documents), func(document string) bool { return document == "" })
}

// FuzzRead looks for panics, for places that are not in the text, and for objects
// that are not whole.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		webYAML,
		"---\n" + webYAML + "---\n{\"kind\":\"List\",\"items\":[{\"a\":1},\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}]}\n",
		"{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}}\n{\"type\":\"DELETED\"\n",
		"apiVersion: v1\nitems:\n- kind: 'Pod\n- metadata: {name: a}\nkind: PodList\n",
		"[{\"items\":{\"x\":[1,2]}},[[{}]]]{\"a\"\n{\n}}\n{",
		"{\"items\":[1,2\n,{\"a\":\"\n---\n{\"items\":[",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Read(context.Background(), []string{"-"}, bytes.NewReader(text))
		if d == nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(text[:min(len(text), beginning)], 0) >= 0 && errors.Is(err, errBinary) {
			return
		}
		lines := bytes.Count(text, []byte("\n")) + 1
		for _, one := range unjoined(err) {
			var fault *DocumentError
			// The YAML library counts more characters as the end of a line.
			if !errors.As(one, &fault) || fault.Line < 1 || fault.Line > lines+1 && !bytes.ContainsAny(text, "\r\u0085\u2028\u2029") {
				t.Errorf("%q has %d lines: %v", text, lines, one)
			}
		}
		for _, objects := range d.objects {
			for _, o := range objects {
				if whole, err := o.unstructured(false); err != nil || whole.GetName() == "" || whole.GetKind() == "" || whole.GetAPIVersion() == "" {
					t.Errorf("%q: got %v, %v", text, whole, err)
				}
			}
		}
	})
}

func unjoined(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return nil
}
