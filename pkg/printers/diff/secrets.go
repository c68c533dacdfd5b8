package diff

import (
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// The marks that stand for a Secret's values, in the words of kubectl diff. They
// show that a value changed and nothing of it.
const (
	maskBefore = display.Mask + " (before)"
	maskAfter  = display.Mask + " (after)"
)

// holdsSecret says whether a change at the path in a Secret shows, or can show,
// one of its values.
func (c *comparison) holdsSecret(old, now value) bool {
	p := c.path
	switch {
	case len(p) == 0, display.IsSecretMember(p[0].key):
		return true
	case p[0].key != "metadata":
		return false
	case len(p) == 1, p.is("metadata", "annotations"):
		return true
	case len(p) > 2 && p[1].key == "annotations":
		return c.givenAwayBy(p[2].key, old) || c.givenAwayBy(p[2].key, now)
	}
	return false
}

// givenAwayBy says whether an annotation shows values of either state.
func (c *comparison) givenAwayBy(name string, annotation value) bool {
	text, isText := annotation.content.(string)
	if !isText && annotation.present {
		text = nestedText(annotation.content)
	}
	return annotation.present && c.values.GivenAwayBy(name, text)
}

func (c *Change) mask() {
	c.masked = true
	before, after := any(display.Mask), any(display.Mask)
	if c.Old != nil && c.New != nil {
		before, after = maskBefore, maskAfter
	}
	if c.Old != nil {
		c.Old = &before
	}
	if c.New != nil {
		c.New = &after
	}
}
