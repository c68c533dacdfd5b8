package stories

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// documentEnds are the lines that end a document in each format that is data;
// where there is none, each line is one.
var documentEnds = map[string]string{"json": "", "jsonl": "", "yaml": "---", "kyaml": "---"}

// told is what a reader takes from a document.
type told struct {
	Type    cache.EventType
	Initial bool
	Object  struct {
		APIVersion, Kind string
		Metadata         struct{ Name, ResourceVersion string }
		Data             map[string]string
	}
}

// documents reads the documents that are complete; what follows them is none.
func documents(end string, lines []string) ([]told, error) {
	var all []told
	var open []string
	for _, line := range lines {
		if end != "" && line != end {
			open = append(open, line)
			continue
		}
		text := line
		if end != "" {
			text = strings.Join(open, "\n")
		}
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%w in the document:\n%s", err, text)
		}
		var event told
		if err := json.Unmarshal(data, &event); err != nil {
			return nil, fmt.Errorf("%w in the document:\n%s", err, text)
		}
		all, open = append(all, event), nil
	}
	if len(open) > 0 {
		return nil, fmt.Errorf("a document is not closed:\n%s", strings.Join(open, "\n"))
	}
	return all, nil
}

// kubernetes/kubernetes#117075: documents were separated, not ended. A reader
// could not know that one is complete before the next one came.
func TestEachDocumentIsCompleteBeforeTheNextOne(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	user.kubectl("create", "secret", "generic", "a", "--from-literal=v=1")
	streams := map[string]*stream{}
	for format := range documentEnds {
		streams[format] = user.tail("secrets", "-o", format)
	}
	var expected []cache.EventType
	for _, chapter := range []struct {
		tells   cache.EventType
		command []string
	}{
		{tells: cache.Added},
		{cache.Modified, []string{"patch", "secret", "a", "--patch", `{"stringData":{"v":"---\n2"}}`}},
		{cache.Deleted, []string{"delete", "secret", "a"}},
		{cache.Added, []string{"create", "secret", "generic", "a", "--from-literal=v=3"}},
	} {
		if chapter.command != nil {
			user.kubectl(chapter.command...)
		}
		expected = append(expected, chapter.tells)
		for format, stream := range streams {
			stream.until(func(stdout, _ []string) bool {
				all, err := documents(documentEnds[format], stdout)
				return err == nil && len(all) == len(expected)
			})
		}
	}
	for format, stream := range streams {
		checkDocuments(t, format, stream.Lines(), expected)
		stream.interrupt()
	}
}

func checkDocuments(t *testing.T, format string, lines []string, expected []cache.EventType) {
	t.Helper()
	all, err := documents(documentEnds[format], lines)
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	for n, event := range all {
		object := event.Object
		if event.Type != expected[n] || event.Initial != (n == 0) || object.APIVersion != "v1" || object.Kind != "Secret" ||
			object.Metadata.Name != "a" || object.Metadata.ResourceVersion == "" || object.Data["v"] == "" {
			t.Errorf("%s: got %+v, want %s", format, event, expected[n])
		}
	}
}
