package diff

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The marks that stand for a Secret's values, in the words of kubectl diff. They
// show that a value changed and nothing of it, not even its length.
const (
	mask       = "***"
	maskBefore = "*** (before)"
	maskAfter  = "*** (after)"
)

func isSecret(kind schema.GroupVersionKind) bool {
	return kind.Group == "" && kind.Kind == "Secret"
}

// holdsSecret says whether what is at the path in a Secret is, or holds, one of
// its values. kubectl apply repeats the whole object in an annotation.
func (p path) holdsSecret() bool {
	if len(p) == 0 {
		return true
	}
	switch p[0].key {
	case "data", "stringData":
		return true
	case "metadata":
		return len(p) == 1 || p.is("metadata", "annotations") ||
			p.is("metadata", "annotations", corev1.LastAppliedConfigAnnotation)
	}
	return false
}

func (c *Change) mask() {
	c.masked = true
	before, after := any(mask), any(mask)
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
