package dump

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// octopus is a type that only a definition tells the columns of, in two versions.
const octopus = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"octopodes.example.com"},
"spec":{"group":"example.com","names":{"kind":"Octopus","plural":"octopodes"},"versions":[
{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[
  {"name":"Arms","type":"integer","jsonPath":".spec.arms","description":"How many.","format":"int32"},
  {"name":"Sea","type":"string","jsonPath":".spec.sea","priority":1},
  {"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}]},
{"name":"v2","served":true,"additionalPrinterColumns":[{"name":"Sea","type":"string","jsonPath":".spec.sea"}]},
{"name":"v3","served":true}]}}`

func octopusIn(version string) cache.Target {
	kind := schema.GroupVersionKind{Group: "example.com", Version: version, Kind: "Octopus"}
	return cache.Target{Resource: kind.GroupVersion().WithResource("octopodes"), Kind: kind, Namespaced: true}
}

// headerOf is the first line of a record that knows the definition.
func headerOf(t *testing.T, targets ...cache.Target) string {
	t.Helper()
	d := &apiextensionsv1.CustomResourceDefinition{}
	if err := kubejson.Unmarshal([]byte(octopus), d); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(NewRecordHeader(at(0), targets, []*apiextensionsv1.CustomResourceDefinition{d}))
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// inkfish is an event of one octopus.
func inkfish(version string) string {
	return fmt.Sprintf(`{"type":"ADDED","object":{"apiVersion":"example.com/%s","kind":"Octopus","metadata":{"name":"ink","namespace":"sea","uid":"1","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"arms":8,"sea":"north"}},"initial":true,"time":"2026-01-01T00:00:05Z"}`+"\n", version)
}

// defined is an event of a definition, in which the column Sea is called otherwise.
func defined(kind, sea string, second int) string {
	return fmt.Sprintf(`{"type":%q,"object":%s,"initial":%v,"time":%q}`+"\n", kind,
		strings.ReplaceAll(strings.ReplaceAll(octopus, "\n", ""), `"name":"Sea"`, fmt.Sprintf(`"name":%q`, sea)), kind == "ADDED", at(second).Format(time.RFC3339))
}

// tableAt is the table of a Target at a moment: a line of columns, and one of cells.
func tableAt(t *testing.T, text string, target cache.Target, moment time.Time) string {
	t.Helper()
	d, err := mustReadRecord(t, text).At(moment)
	if err != nil {
		t.Fatal(err)
	}
	list, err := d.ListerWatcher(target, cache.Cells, d.NewestTime()).(*listerWatcher).list()
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("got %v, %v", list, err)
	}
	var columns []string
	for _, column := range *list.Items[0].Columns {
		columns = append(columns, fmt.Sprintf("%s/%s/%s/%d", column.Name, column.Type, column.Format, column.Priority))
	}
	return strings.Join(columns, " ") + "\n" + strings.TrimSuffix(fmt.Sprintln(list.Items[0].Cells...), "\n")
}

const plainTable = "Name/string/name/0 Age/date//0\nink 5s"

func TestTheFirstLineHasTheColumnsOfTheVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v1": "Name/string/name/0 Arms/integer/int32/0 Sea/string//1 Age/date//0\nink 8 north 5s",
		"v2": "Name/string/name/0 Sea/string//0\nink north",
		"v3": plainTable,
	} {
		target := octopusIn(version)
		if got := tableAt(t, headerOf(t, target)+inkfish(version), target, time.Time{}); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", version, got, want)
		}
	}
	// Several namespaces, and several versions beside each other.
	one, other := octopusIn("v1"), octopusIn("v2")
	one.Namespace, other.Namespace = "sea", "pond"
	header := headerOf(t, one, other, octopusIn("v2"))
	if got := tableAt(t, header+inkfish("v2"), octopusIn("v2"), time.Time{}); got != "Name/string/name/0 Sea/string//0\nink north" {
		t.Errorf("two versions: got\n%s", got)
	}
}

func TestAPlayedEventHasTheColumnsOfTheFirstLine(t *testing.T) {
	target := octopusIn("v1")
	r := mustReadRecord(t, headerOf(t, target)+inkfish("v1"))
	d, err := r.Whole()
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Play(d, Played{Target: target, Form: cache.Cells, Transform: func(*cache.Row) {}})
	if err != nil {
		t.Fatal(err)
	}
	event, ok := p.Peek()
	if !ok || fmt.Sprintln(event.Row.Cells...) != "ink 8 north 5s\n" {
		t.Errorf("got %v, %v", event.Row, ok)
	}
}

func TestADefinitionInTheRecordGoesBeforeTheFirstLine(t *testing.T) {
	target := octopusIn("v2")
	record := headerOf(t, target) + defined("ADDED", "Ocean", 5) + inkfish("v2") + defined("MODIFIED", "Water", 9)
	for second, want := range map[int]string{5: "Ocean", 9: "Water"} {
		if got := tableAt(t, record, target, at(second)); !strings.HasPrefix(got, "Name/string/name/0 "+want+"/") {
			t.Errorf("second %d: got\n%s\nwant %s", second, got, want)
		}
	}
	// One that is gone by then leaves what was recorded at the start.
	gone := record + defined("DELETED", "Brine", 10)
	if got := tableAt(t, gone, target, at(10)); !strings.HasPrefix(got, "Name/string/name/0 Sea/") {
		t.Errorf("deleted: got\n%s", got)
	}
}

func TestARecordWithoutColumnsIsReplayedWithNameAndAge(t *testing.T) {
	target := octopusIn("v1")
	header, err := json.Marshal(NewRecordHeader(at(0), []cache.Target{target}, nil))
	if err != nil || strings.Contains(string(header), "columns") {
		t.Fatalf("got %s, %v", header, err)
	}
	for _, line := range []string{string(header), strings.Replace(string(header), `"namespaced"`, `"columns":null,"namespaced"`, 1)} {
		text := line + "\n" + inkfish("v1")
		if got := tableAt(t, text, target, time.Time{}); got != plainTable || len(mustReadRecord(t, text).Warnings()) > 0 {
			t.Errorf("%s: got\n%s", line, got)
		}
	}
	d, err := mustReadRecord(t, string(header)).Whole()
	if got := mustReadRecord(t, string(header)).Arguments(d); err != nil || !slices.Equal(got, []string{"octopodes.v1.example.com"}) {
		t.Errorf("the types that it names: got %q, %v", got, err)
	}
}

// What is wrong with the columns is no reason not to replay the events.
func TestColumnsThatCannotBeUsedAreAWarning(t *testing.T) {
	target := octopusIn("v1")
	for columns, cause := range map[string]string{
		`"all"`:        "cannot unmarshal",
		`{"name":"A"}`: "cannot unmarshal",
		`[7]`:          "cannot unmarshal",
		`[{"name":7}]`: "cannot unmarshal",
		`[{"name":"A","type":"string","jsonPath":".a[?(@.b=="}]`: "unrecognized column definition",
		`[{"name":"A","type":"string","jsonPath":".a[1,2:"}]`:    "unrecognized column definition",
		`[{"name":"A","type":"string","jsonPath":"{range .a}"}]`: "unrecognized column definition",
	} {
		header := strings.Replace(headerOf(t, target), `"columns":[`, `"columns":`+columns+`,"was":[`, 1)
		text := header + inkfish("v1")
		warnings := mustReadRecord(t, text).Warnings()
		if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "stdin: line 1: the columns of octopodes.example.com cannot be used, and its tables have NAME and AGE: ") || !strings.Contains(warnings[0], cause) {
			t.Errorf("%s: got %q", columns, warnings)
		}
		if got := tableAt(t, text, target, time.Time{}); got != plainTable {
			t.Errorf("%s: got\n%s", columns, got)
		}
	}
}

func TestOnlyATypeThatIsNotKnownHasADefinitionToBeAskedFor(t *testing.T) {
	list := mustRead(t, "").types
	for _, builtin := range flatten(list) {
		target := cache.Target{Kind: builtin.kind(), Resource: builtin.WithResource(builtin.Resource)}
		if _, ok := DefinitionOf(target); ok {
			t.Errorf("%v has one", builtin.kind())
		}
	}
	one, other := octopusIn("v1"), octopusIn("v2")
	one.Namespace, one.LabelSelector = "sea", "l=1"
	definition, ok := DefinitionOf(one)
	if again, _ := DefinitionOf(other); !ok || again != definition || definition.Name != "octopodes.example.com" {
		t.Errorf("got %v, %v and %v", definition, ok, again)
	}
}
