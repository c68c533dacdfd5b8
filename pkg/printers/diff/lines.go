package diff

import (
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// missing stands for a field that is not there, as in kubectl's tables.
const missing = "<none>"

// Lines is the difference as people read it, a line a change:
//
//	spec.template.spec.containers[web].image: nginx:1.26 → nginx:1.27
//
// and, where it is known, who has changed it: `by kubectl-edit`. Text of several
// lines changes line by line, below its path. Long values are
// shortened where both sides agree, then in the middle. No line holds a control
// character.
func (d Diff) Lines() []string {
	var lines []string
	if d.Replaced {
		lines = append(lines, "replaced by a new object of the same name")
	}
	for i := range d.Changes {
		lines = append(lines, d.Changes[i].lines()...)
	}
	return lines
}

func (c *Change) lines() []string {
	lines := c.what()
	if c.Manager != "" {
		lines[0] += "   by " + display.Escape(c.Manager, "")
	}
	return lines
}

func (c *Change) what() []string {
	label := c.label
	if label == "" {
		label = display.Escape(c.Path, "")
	}
	if before, after, ok := c.texts(); ok {
		return append([]string{label + ":"}, lineDiff(before, after)...)
	}
	before, after := c.side(c.Old), c.side(c.New)
	if c.keys != nil {
		label, before, after = label+" in another order", names(*c.Old, c.keys), names(*c.New, c.keys)
	}
	before, after = shortenBoth(before, after)
	return []string{label + ": " + before + " → " + after}
}

// side is one side of a change on one line.
func (c *Change) side(v *any) string {
	switch {
	case v == nil:
		return missing
	case c.masked:
		text, _ := (*v).(string)
		return text
	}
	return text(*v)
}

// texts returns both sides if they are text and either has several lines.
func (c *Change) texts() (before, after string, ok bool) {
	before, isBefore := textOf(c.Old)
	after, isAfter := textOf(c.New)
	return before, after, isBefore && isAfter && strings.Contains(before+after, "\n")
}

func textOf(v *any) (string, bool) {
	if v == nil {
		return "", true
	}
	text, ok := (*v).(string)
	return text, ok
}

// names lists the items of a list by their keys.
func names(list any, keys []string) string {
	items, _ := list.([]any)
	labels := make([]string, len(items))
	for i := range items {
		content, _ := items[i].(map[string]any)
		labels[i] = (&item{index: i, content: content, keys: keys}).label()
	}
	return "[" + strings.Join(labels, ", ") + "]"
}
