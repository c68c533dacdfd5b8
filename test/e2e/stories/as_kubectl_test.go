package stories

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// events reads a stream of JSON as far as it is complete.
func events(lines []string) (all []map[string]any) {
	decoder := json.NewDecoder(strings.NewReader(strings.Join(lines, "\n")))
	decoder.UseNumber()
	for {
		var event map[string]any
		if err := decoder.Decode(&event); err != nil {
			return all
		}
		all = append(all, event)
	}
}

// A reader of kubectl's own stream of events could not read ours. kubectl tells
// what is there first in Lists: here nothing is. Its events always have
// managedFields, ours where they are asked for.
func TestReaderOfKubectlsEventsCanReadOurs(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	theirs := user.start("kubectl", "get", "widgets", "-w", "--output-watch-events", "-o", "json", "-v=6")
	ours := user.tail("widgets", "-o", "json", "--show-managed-fields", "-v=6")
	theirs.untilWatching()
	ours.untilWatching()
	user.apply(`{apiVersion: factory.example.com/v1, kind: Widget, metadata: {name: a}, spec: {serial: 9007199254740993, price: 1.5}}`)
	user.kubectl("annotate", "widget", "a", "markup=<b>&amp;</b>\tü")
	user.kubectl("delete", "widget", "a")
	eventually(t, func() error {
		got, want := events(ours.Lines()), events(theirs.Lines())
		if len(want) < 3 || !reflect.DeepEqual(got, want) {
			return fmt.Errorf("got:\n%v\nwant:\n%v", got, want)
		}
		return nil
	})
}

// ages are the cells that tick between two answers, with what fills their column.
var ages = regexp.MustCompile(`\b\d+[dhms](\d+[hms])?\b *`)

// A table of what is there differed from kubectl's by more than the column EVENT.
func TestTableOfWhatIsThereIsKubectls(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	for _, question := range [][]string{
		{"pods", "-n", "shop"}, {"pods", "-n", "shop", "-o", "wide"}, {"pods", "-A", "-l", "app.kubernetes.io/name"}, {"nodes", "--show-labels"},
		{"deployments", "-n", "shop", "-L", "tier", "--show-kind"}, {"widgets", "-n", "shop", "-o", "wide"},
		{"services", "-n", "shop", "--no-headers"}, {"plants"},
	} {
		eventually(t, func() error {
			want := user.kubectl(append([]string{"get"}, question...)...)
			rows := strings.Count(want, "\n")
			if strings.HasPrefix(want, "NAME") {
				rows-- // the header
			}
			tail := user.run("kubectl-informer", append([]string{"tail", "--max-events", strconv.Itoa(rows)}, question...)...)
			got := withoutEvents(tail.Stdout)
			if ages.ReplaceAllString(got, "AGE ") != ages.ReplaceAllString(want, "AGE ") {
				return fmt.Errorf("%v: got:\n%s\nwant:\n%s", question, got, want)
			}
			return nil
		})
	}
}

// withoutEvents cuts the column EVENT from a table.
func withoutEvents(table string) string {
	var lines strings.Builder
	for line := range strings.Lines(table) {
		lines.WriteString(line[min(len(line), len("MODIFIED   ")):])
	}
	return lines.String()
}
