package fieldlabel

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Field is a field that a type declares as selectable. Of those whose text is sure to be
// the same for a server and for us, there are only text, and true and false.
type Field struct {
	// Path is the field label: the path without its first dot.
	Path string
	// IsText says that it holds text, and not true or false.
	IsText bool
}

// published is what is read of a schema that a server publishes.
type published struct {
	Type       string                `json:"type"`
	Properties map[string]*published `json:"properties"`
	Kinds      []struct {
		Group, Version, Kind string
	} `json:"x-kubernetes-group-version-kind"`
	Selectable []struct {
		FieldPath string `json:"fieldPath"`
	} `json:"x-kubernetes-selectable-fields"`
}

// Declared are the fields that a kind declares as selectable, out of the OpenAPI v3
// document of its group version.
func Declared(document []byte, kind schema.GroupVersionKind) ([]Field, error) {
	var wire struct {
		Components struct {
			Schemas map[string]*published `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &wire); err != nil {
		return nil, err
	}
	var fields []Field
	for _, described := range wire.Components.Schemas {
		if !described.isOf(kind) {
			continue
		}
		for _, selectable := range described.Selectable {
			path := strings.TrimPrefix(selectable.FieldPath, ".")
			if is := described.typeAt(path); is == "string" || is == "boolean" {
				fields = append(fields, Field{Path: path, IsText: is == "string"})
			}
		}
	}
	return fields, nil
}

func (p *published) isOf(kind schema.GroupVersionKind) bool {
	return p != nil && slices.Contains(p.Kinds, struct{ Group, Version, Kind string }(kind))
}

// typeAt is the type of what is at a path; empty if that is not known.
func (p *published) typeAt(path string) string {
	for name := range strings.SplitSeq(path, ".") {
		if p == nil {
			return ""
		}
		p = p.Properties[name]
	}
	if p == nil {
		return ""
	}
	return p.Type
}
