package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/index"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// Absences finds, among the indexes that a question reads, the paths that no
// object has, and the values that none holds. What one type or namespace lacks
// another may have.
type Absences []reading

// reading is one index that was read of one Indexer.
type reading struct {
	indexer    toolscache.Indexer
	definition index.Definition
	// asked is what --by asks of the index, of a Target; nil for what is only counted.
	asked  *index.Asked
	target cache.Target
}

// Read notes indexes whose values are counted.
func (a *Absences) Read(indexer toolscache.Indexer, definitions ...index.Definition) {
	for _, definition := range definitions {
		*a = append(*a, reading{indexer: indexer, definition: definition})
	}
}

// Ask notes the indexes that --by asks, but those that something else than --by asks.
func (a *Absences) Ask(i *informer.Informer, by *index.Bound, except ...string) {
	for _, asked := range by.Asked() {
		if slices.Contains(except, asked.Name) {
			continue
		}
		*a = append(*a, reading{i.Indexer(), asked.Definition, &asked, i.Target})
	}
}

// Notices has a line for each path that is in none of the Indexers.
func (a *Absences) Notices() []string {
	var notices []string
	for _, r := range *a {
		if !index.Absent(r.indexer, r.definition) || a.somewhere(r.definition.Name) {
			continue
		}
		if notice := r.absence(); notice != "" && !slices.Contains(notices, notice) {
			notices = append(notices, notice)
		}
	}
	return notices
}

// absence says that no object has a value where one is read. Where --by asks for
// objects without one, that is the answer, and no mistake; where it refers to an
// object without one, that has been said: see valueless.
func (r reading) absence() string {
	switch {
	case r.asked == nil || !r.asked.Restricts || len(r.asked.Values) > 0 && !r.asked.None:
		return r.definition.AbsenceNotice()
	case r.asked.None:
		return fmt.Sprintf("no object has a value at %s: --by %s= keeps all of them", r.definition.Reads, r.definition.Name)
	}
	return ""
}

func (a *Absences) somewhere(name string) bool {
	return slices.ContainsFunc(*a, func(r reading) bool {
		return r.definition.Name == name && len(r.indexer.ListIndexFuncValues(name)) > 0
	})
}

// Hints has a line for each index of which no object holds a value asked for: what
// may have been meant, or what there is.
func (a *Absences) Hints() []string {
	var hints []string
	var seen []string
	for _, r := range *a {
		if r.asked == nil || slices.Contains(seen, r.definition.Name) {
			continue
		}
		seen = append(seen, r.definition.Name)
		if hint := a.hint(r.definition.Name); hint != "" {
			hints = append(hints, hint)
		}
	}
	return hints
}

func (a *Absences) hint(name string) string {
	var kinds []string
	var asked *index.Asked
	objects := map[string]int{}
	total := 0
	for _, r := range *a {
		if r.definition.Name != name || r.asked == nil {
			continue
		}
		if !r.mayHint() || r.asked.Held(r.indexer) {
			return ""
		}
		asked = r.asked
		total += len(r.indexer.ListKeys())
		for _, count := range index.Counts(r.indexer, r.definition) {
			objects[count.Value] += count.Objects
		}
		if kind := strings.ToLower(r.target.Kind.Kind); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if total == 0 || asked.IsPath() && len(objects) == 0 { // which a notice says
		return ""
	}
	who := "object"
	if len(kinds) == 1 {
		who = kinds[0]
	}
	counts := MostFirst(objects)
	values := make([]string, len(counts))
	for i, count := range counts {
		values[i] = count.Value
	}
	return hintAt(who, *asked, values)
}

// mayHint says whether the values of an index are known, and may be shown. Of what the
// server has narrowed they are not all there; those of a Secret are secret.
func (r reading) mayHint() bool {
	t := r.target
	narrowed := t.Name != "" || t.LabelSelector != "" || t.FieldSelector != ""
	secret := t.Kind.Kind == "Secret" && (r.asked.IsPath() || r.asked.Name == "annotation")
	return r.asked.Restricts && !r.asked.None && len(r.asked.Values) > 0 && !narrowed && !secret
}

// mostShown is how many values a hint shows.
const mostShown = 5

// hintAt says that nobody has a value; values are those that are there, most first.
func hintAt(who string, asked index.Asked, values []string) string {
	of := strings.TrimPrefix(asked.Name, ".")
	value := asked.Values[0]
	var near []string
	for _, one := range asked.Values {
		if near = index.Near(one, values); len(near) > 0 {
			value = one
			break
		}
	}
	text := fmt.Sprintf("no %s has %s %s", who, of, Quoted(value))
	switch {
	case len(near) > 0:
		return text + "; did you mean " + listed(near, " or ") + "?"
	case isOtherOwner(asked, value, values):
		return text + ", which does not own them itself; --by root=" + display.Shorten(value, shownValue) + " are those below it"
	case len(values) == 0:
		return fmt.Sprintf("no %s has any %s", who, of)
	case len(values) > mostShown:
		return text + "; there are " + listed(values[:mostShown], ", ") + " and others"
	case len(values) == 1:
		return text + "; there is " + listed(values, "")
	}
	return text + "; there are " + listed(values, ", ")
}

// isOtherOwner says whether an owner is asked for of a kind that owns none of the
// objects: it may be further up.
func isOtherOwner(asked index.Asked, value string, values []string) bool {
	kind, _, named := strings.Cut(value, "/")
	kind, _, _ = strings.Cut(kind, ".") // the group
	if asked.Name != "owner" && asked.Name != "controller" || !named || len(values) == 0 {
		return false
	}
	return !slices.ContainsFunc(values, func(other string) bool {
		of, _, _ := strings.Cut(other, "/")
		return strings.EqualFold(of, kind)
	})
}

func listed(values []string, separator string) string {
	shown := make([]string, min(len(values), mostShown))
	for i := range shown {
		shown[i] = Quoted(values[i])
	}
	return strings.Join(shown, separator)
}

// shownValue is how many characters of a value are shown.
const shownValue = 100

// Quoted is a value in quotes, shortened.
func Quoted(value string) string { return strconv.Quote(display.Shorten(value, shownValue)) }

// Valueless says of which objects --by wants the value, and that they have none.
func Valueless(values map[index.Reference][]string) []string {
	var warnings []string
	for reference, found := range values {
		if len(found) == 0 {
			warnings = append(warnings, fmt.Sprintf("%s has no value at %s: no object is like it there",
				strings.TrimPrefix(reference.String(), "@"), reference.Index))
		}
	}
	slices.Sort(warnings)
	return warnings
}
