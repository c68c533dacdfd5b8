package fieldpath

import (
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// Who asks which part of an object a path reads gets one answer, whatever it is
// for. Templates are shown managedFields wherever they are; other paths only
// where they ask for them.
func TestWhatAPathReadsHasOneAnswer(t *testing.T) {
	const metadata, whole, managed = cache.Metadata, cache.Whole, cache.ManagedFields
	for path, want := range map[string]struct{ asked, shown cache.Representation }{
		".kind":                              {metadata, metadata},
		".apiVersion":                        {metadata, metadata},
		".metadata.name":                     {metadata, metadata},
		".metadata.labels.*":                 {metadata, metadata},
		".metadata.ownerReferences[0].kind":  {metadata, metadata},
		".metadata.selfLink":                 {whole, whole},
		".metadata.managedFields[*].manager": {managed, managed},
		`.metadata.managedFields[?(@.operation=="Apply")].manager`: {managed, managed},
		".metadata":                      {whole, whole | managed},
		".metadata..manager":             {whole | managed, whole | managed},
		".metadata..name":                {whole, whole | managed},
		".metadata['name','labels']":     {whole, whole | managed},
		".metadata['managedFields','a']": {whole | managed, whole | managed},
		"..manager":                      {whole | managed, whole | managed},
		"..image":                        {whole, whole | managed},
		".*":                             {whole, whole | managed},
		".spec.replicas":                 {whole, whole},
		".spec..manager":                 {whole, whole},
		".metadataX.name":                {whole, whole},
	} {
		p, err := Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		e, err := ParseExpression("{" + path + "}")
		if err != nil {
			t.Fatal(err)
		}
		if p.Needs() != want.asked || e.Needs() != want.asked {
			t.Errorf("%s: an index needs %s, a condition %s, want %s", path, p.Needs(), e.Needs(), want.asked)
		}
		if got := TemplateTree("{" + path + "}").Needs(); got != want.shown {
			t.Errorf("%s: a template needs %s, want %s", path, got, want.shown)
		}
		for _, template := range []string{"{.items[*]" + path + "}", "{range .items[*]}{" + path + "}{end}"} {
			if got := ListTemplateTree(template).Needs(); got != want.shown {
				t.Errorf("%s: needs %s, want %s", template, got, want.shown)
			}
		}
	}
}

func TestWhatIsReadBelowAMember(t *testing.T) {
	event := TemplateTree("{.type} {.object.spec.x} {.oldObject.metadata.name}")
	for member, want := range map[string]cache.Representation{
		"object": cache.Whole, "oldObject": cache.Metadata, "other": cache.Metadata,
	} {
		if got := event.Below(member).Needs(); got != want {
			t.Errorf("%s: needs %s, want %s", member, got, want)
		}
	}
	if got := TemplateTree("{..x}").Below("object").Needs(); got != everything {
		t.Errorf("needs %s", got)
	}
}

// A path whose keys hold what JSONPath means something by leads to them.
func TestAKeyIsSpelledSoThatAPathLeadsToIt(t *testing.T) {
	for _, key := range []string{"plain", "app.kubernetes.io/name", "*", "a b", "$@", "{}", "[0]", "[*]", "a,b", "..", "'", `"`, "é"} {
		for _, path := range []string{Spell("a", key), ".a['" + key + "']", `.a["` + key + `"]`} {
			if key == "'" || key == `"` {
				path = Spell("a", key)
			}
			p, err := Parse(path)
			if err != nil || p.String() != Spell("a", key) {
				t.Errorf("%q: %s is read as %v (%v)", key, path, p, err)
			}
		}
	}
	for _, path := range []string{`.a\\b`, `.a['b\\c']`, `.a['']`, `.a[''].b`, `.a\`} {
		if p, err := Parse(path); err == nil {
			t.Errorf("%s is read as %s", path, p)
		}
	}
}

func TestABracketEndsWhereItIsClosed(t *testing.T) {
	for text, want := range map[string]string{
		`[0].b`:               `[0]`,
		`[?(@.a=="]")].b`:     `[?(@.a=="]")]`,
		`[?(@.a=='\']')].b`:   `[?(@.a=='\']')]`,
		`{.a[0]}=x`:           `{.a[0]}`,
		`[?(@.a[0]=="x")]=[]`: `[?(@.a[0]=="x")]`,
		`[never`:              `[never`,
	} {
		if got := text[:Bracketed(text, 0)]; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
