package diff

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

// path leads from an object to a field of it.
type path []step

// step is one key of a map, or one item of a list.
type step struct {
	key  string
	item *item
}

// item is one item of a list, and what names it.
type item struct {
	// index counts in the new list; of a removed item, in the old one.
	index   int
	content map[string]any
	// keys are the fields that tell the list's items apart.
	keys []string
	// filter is the one of keys that is enough to do so in a JSONPath.
	filter string
}

// is says whether the path is these keys of maps and no more.
func (p path) is(keys ...string) bool {
	if len(p) != len(keys) {
		return false
	}
	for i, key := range keys {
		if p[i].item != nil || p[i].key != key {
			return false
		}
	}
	return true
}

// jsonPath is the path as client-go's JSONPath reads it, without braces and
// leading dot.
func (p path) jsonPath() string {
	return p.spell(func(b *strings.Builder, item *item) { b.WriteString(item.jsonPath()) })
}

// label is the path as people read it: spec.containers[web].image.
func (p path) label() string {
	return display.Escape(p.spell(func(b *strings.Builder, item *item) { b.WriteString("[" + item.label() + "]") }), "")
}

func (p path) spell(writeItem func(*strings.Builder, *item)) string {
	var b strings.Builder
	for i, step := range p {
		if step.item != nil {
			writeItem(&b, step.item)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(fieldpath.Escape(step.key))
	}
	return b.String()
}

func (i *item) jsonPath() string {
	switch v := i.content[i.filter].(type) {
	case int64:
		return fmt.Sprintf("[?(@.%s==%d)]", i.filter, v)
	case string:
		// client-go takes the quote after a backslash for a quote in the text, also
		// where the backslash is itself escaped.
		if !strings.HasSuffix(v, `\`) {
			return fmt.Sprintf("[?(@.%s==%q)]", i.filter, v)
		}
	}
	return "[" + strconv.Itoa(i.index) + "]"
}

// label names the item by its keys: web, or port=53,protocol=UDP.
func (i *item) label() string {
	if len(i.keys) == 0 {
		return strconv.Itoa(i.index)
	}
	if name, ok := i.content[i.keys[0]].(string); ok && len(i.keys) == 1 {
		return nestedText(name)
	}
	var parts []string
	for _, key := range i.keys {
		if v := i.content[key]; v != nil {
			parts = append(parts, key+"="+nestedText(v))
		}
	}
	return strings.Join(parts, ",")
}
