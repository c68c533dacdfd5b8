package fieldpath

import (
	"strings"
	"testing"
)

// spelled are the paths, with a space between two.
func spelled(read [][]string) string {
	var paths []string
	for _, names := range read {
		paths = append(paths, Spell(names...))
	}
	return strings.Join(paths, " ")
}

func TestWhatAJSONPathTemplateReadsFromItsRoot(t *testing.T) {
	for template, want := range map[string]string{
		`plain text`:                   ``,
		`{"text"}{1}{true}`:            ``,
		`{@}{$}`:                       ``,
		`{.type} {.object.kind}`:       `.type .object.kind`,
		`{$.object}{@.type}`:           `.object .type`,
		`{.object['metadata'].labels}`: `.object.metadata.labels`,
		`{.object.metadata.labels.app\.kubernetes\.io/name}`: `.object.metadata.labels.app\.kubernetes\.io/name`,
		`{.items[*].metadata.name}`:                          `.items.metadata.name`,
		`{.items[?(@.spec.x=="a")].kind}`:                    `.items.spec.x .items.kind`,
		`{['type','reason']}`:                                `.type .reason`,
		`{.object['kind','spec']}`:                           `.object.kind .object.spec`,
		// What cannot be told is left out, and what comes after it.
		`{..name}`:           ``,
		`{.*}`:               ``,
		`{.*.name}`:          ``,
		`{.object..name}`:    `.object`,
		`{.object.*.name}`:   `.object`,
		`{[0].name}`:         ``,
		`{[?(@.name)].name}`: ``,
		`{.}`:                ``,
		`{range .items[*]}{.metadata.name}{"\n"}{end}{.kind}`:            `.items .items.metadata.name .kind`,
		`{range .object.a[*]}{.b}{range .c[*]}{.d}{end}{.e}{end}{.type}`: `.object.a .object.a.b .object.a.c .object.a.c.d .object.a.e .type`,
		`{range ..a}{.b}{end}{.type}`:                                    `.type`,
		`{range @}{.type}{end}`:                                          `.type`,
		`{.type}{end}{end}{.kind}`:                                       `.type .kind`,
	} {
		read, err := JSONPathReads(template)
		if got := spelled(read); err != nil || got != want {
			t.Errorf("%s reads %s (%v), want %s", template, got, err, want)
		}
	}
	if _, err := JSONPathReads("{"); err == nil {
		t.Error("what is no template reads something")
	}
}

func TestWhatAGoTemplateReadsFromItsRoot(t *testing.T) {
	for template, want := range map[string]string{
		`plain text`: ``,
		`{{.}}{{$}}{{1}}{{"text"}}{{/* comment */}}`:  ``,
		`{{.type}} {{.object.kind}}`:                  `.type .object.kind`,
		`{{$.object.kind}}`:                           `.object.kind`,
		`{{.type | printf "%s"}}`:                     `.type`,
		`{{printf "%s %s" .type .object.kind}}`:       `.type .object.kind`,
		`{{(.object).kind}}`:                          `.object .object.kind`,
		`{{(index .items 0).metadata.name}}`:          `.items`,
		`{{index .object.metadata.labels "app"}}`:     `.object.metadata.labels`,
		`{{exists . "object"}}{{base64decode .type}}`: `.type`,
		`{{if .initial}}{{.type}}{{else if eq .reason "x"}}{{.reason}}{{else}}{{.time}}{{end}}`:  `.initial .type .reason .reason .time`,
		`{{with .object}}{{.kind}}{{$.type}}{{else}}{{.reason}}{{end}}`:                          `.object .object.kind .type .reason`,
		`{{with $o := .object}}{{$o.kind}}{{.spec}}{{end}}`:                                      `.object .object.kind .object.spec`,
		`{{range .items}}{{.metadata.name}}{{break}}{{else}}{{.kind}}{{end}}`:                    `.items .items.metadata.name .kind`,
		`{{range $i, $e := .object.a}}{{$i}}{{$i.x}}{{$e.b}}{{end}}`:                             `.object.a .object.a.b`,
		`{{range $e := .object.a}}{{$e.b}}{{end}}`:                                               `.object.a .object.a.b`,
		`{{range .}}{{.name}}{{end}}{{range $k, $v := .}}{{$v.name}}{{end}}`:                     ``,
		`{{$o := .object}}{{with .x}}{{$o := .y}}{{$o.z}}{{end}}{{$o.kind}}`:                     `.object .x .x.y .x.y.z .object.kind`,
		`{{$o := .object}}{{$o.a}}{{if .type}}{{$o = .b}}{{end}}{{$o.c}}`:                        `.object .object.a .type .b`,
		`{{$o := index .items 0}}{{$o.kind}}`:                                                    `.items`,
		`{{define "t"}}{{.kind}}{{$.spec}}{{end}}{{template "t" .object}}{{template "t" .}}`:     `.object .object.kind .object.spec .kind .spec`,
		`{{block "t" .object}}{{.kind}}{{end}}`:                                                  `.object .object.kind`,
		`{{define "t"}}{{.a}}{{template "t" .b}}{{end}}{{template "t" .object}}{{template "t"}}`: `.object .object.a .object.b`,
		`{{define "unused"}}{{.a}}{{end}}{{.type}}`:                                              `.type`,
	} {
		read, err := GoTemplateReads(template)
		if got := spelled(read); err != nil || got != want {
			t.Errorf("%s reads %s (%v), want %s", template, got, err, want)
		}
	}
	if _, err := GoTemplateReads("{{"); err == nil {
		t.Error("what is no template reads something")
	}
}

func FuzzWhatTemplatesReadIsFoundWithoutAPanic(f *testing.F) {
	for _, template := range []string{`{range .a[*]}{.b}{end}`, `{..a['b','c']}`, `{{range $i, $e := .a}}{{$e.b}}{{end}}`, `{{define "a"}}{{template "a" .}}{{end}}{{template "a"}}`} {
		f.Add(template)
	}
	f.Fuzz(func(t *testing.T, template string) {
		for _, read := range []func(string) ([][]string, error){JSONPathReads, GoTemplateReads} {
			paths, _ := read(template)
			for _, names := range paths {
				if len(names) == 0 || names[0] == "" {
					t.Errorf("%s reads %q", template, names)
				}
			}
		}
	})
}
