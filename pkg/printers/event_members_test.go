package printers

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestATemplateThatStartsElsewhereIsRefusedWithTheRightSpelling(t *testing.T) {
	const has = "; it has .type, .object, .initial, .finalStateUnknown, .reason; did you mean "
	for _, c := range []struct{ output, want string }{
		{"jsonpath={.metadata.name}", "-o jsonpath: {.metadata.name}: an event has no .metadata" + has + "{.object.metadata.name}?"},
		{"jsonpath={.type} {.spec.replicas}", "-o jsonpath: {.spec.replicas}: an event has no .spec" + has + "{.object.spec.replicas}?"},
		{`jsonpath={.metadata.labels.app\.kubernetes\.io/name}`, `-o jsonpath: {.metadata.labels.app\.kubernetes\.io/name}: an event has no .metadata` + has + `{.object.metadata.labels.app\.kubernetes\.io/name}?`},
		{"jsonpath-as-json={.metadata}", "-o jsonpath: {.metadata}: an event has no .metadata" + has + "{.object.metadata}?"},
		{"jsonpath={.items[*].metadata.name}", "-o jsonpath: {.items.metadata.name}: an event has no .items" + has + "{.object.metadata.name}?"},
		{`jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}`, "-o jsonpath: {.items}: an event has no .items" + has + "{.object.metadata.name}?"},
		{"jsonpath={range .items[*]}{@}{end}", "-o jsonpath: {.items}: an event has no .items" + has + "{.object}?"},
		{"jsonpath={range .object.spec.containers[*]}{.name}{end}{.name}", "-o jsonpath: {.name}: an event has no .name" + has + "{.object.metadata.name}?"},
		{"jsonpath={.Object.kind}", "-o jsonpath: {.Object.kind}: an event has no .Object" + has + "{.object.kind}?"},
		{"go-template={{.metadata.name}}", "-o go-template: {{.metadata.name}}: an event has no .metadata" + has + "{{.object.metadata.name}}?"},
		{"go-template={{range .items}}{{.metadata.name}}{{end}}", "-o go-template: {{.items}}: an event has no .items" + has + "{{.object.metadata.name}}?"},
		{"go-template={{with .object}}{{$.spec.x}}{{end}}", "-o go-template: {{.spec.x}}: an event has no .spec" + has + "{{.object.spec.x}}?"},
		{"jsonpath={.kind}", "-o jsonpath: {.kind}: an event has .kind only with --sync-events; did you mean {.object.kind}?"},
		{"go-template={{.namespace}}", "-o go-template: {{.namespace}}: an event has .namespace only with --sync-events; did you mean {{.object.metadata.namespace}}?"},
		{"jsonpath={.oldObject.spec.x}", "-o jsonpath: {.oldObject.spec.x}: an event has .oldObject only with --old"},
		{"jsonpath={.changes[*].path}", "-o jsonpath: {.changes.path}: an event has .changes only with --diff"},
		{"go-template={{.time}}", "-o go-template: {{.time}}: an event has .time only with --timestamps"},
		{"custom-columns=N:.object.metadata.name", "-o custom-columns: column N: custom columns see the object itself, which has no .object; did you mean N:.metadata.name?"},
		{"custom-columns=K:.kind,O:.object", "-o custom-columns: column O: custom columns see the object itself, which has no .object"},
		{"custom-columns=O:.oldObject.spec.x", "-o custom-columns: column O: custom columns see the object as it is now; for .oldObject use --old with -o json, jsonpath or go-template"},
	} {
		flags := mustParse(t, "-o", c.output)
		if err := flags.ValidateEvents(); err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.output, err, c.want)
		}
	}
}

func TestATemplateThatReadsWhatAnEventCanHaveIsTaken(t *testing.T) {
	for _, args := range [][]string{
		{"-o", "jsonpath={.type} {.object.metadata.name}{.reason}{.initial}{.finalStateUnknown}"},
		{"-o", "jsonpath={.oldObject.spec.x}{.changes}{.time}", "--old", "--diff", "--timestamps"},
		{"-o", "jsonpath={..name}{.*}{@}{range .object.spec.containers[*]}{.name}{end}"},
		{"-o", `go-template={{.}}{{range $k, $v := .}}{{$k}}{{end}}{{with .object.metadata}}{{.name}}{{end}}{{exists . "x"}}`},
		{"--template", "{{if .initial}}{{.type}}{{end}}{{range .object.spec.containers}}{{.name}}{{end}}"},
		{"-o", "custom-columns=N:.metadata.name,T:.type,R:.reason,I:.items[*].x,A:..name"},
	} {
		if err := mustParse(t, args...).ValidateEvents(); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	flags := mustParse(t, "-o", "jsonpath={.type} {.apiVersion} {.kind} {.namespace}")
	flags.SyncEvents = true
	if err := flags.ValidateEvents(); err != nil {
		t.Error(err)
	}
}

func TestATemplateOfAListIsNotThatOfAnEvent(t *testing.T) {
	for _, output := range []string{"jsonpath={.items[*].metadata.name}", "jsonpath={.metadata.name}", "go-template={{.kind}}", "custom-columns=N:.object.x"} {
		if err := mustParse(t, "-o", output).Validate(); err != nil {
			t.Errorf("%s: %v", output, err)
		}
	}
}

// The schema that users get names the same members.
func TestEveryMemberOfAnEventIsKnown(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var event struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, m := range NewFlags().eventMembers() {
		known = append(known, m.name)
	}
	slices.Sort(known)
	same(t, strings.Join(slices.Sorted(maps.Keys(event.Properties)), " "), strings.Join(known, " "))
}
