package dump

import (
	"errors"
	"fmt"
	"slices"
	"time"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// RecordType is the type of the first line of a record that was made as one. It is no
// event: it has what the events do not say.
const RecordType cache.EventType = "RECORD"

// RecordHeader is the first line of a record.
type RecordHeader struct {
	Type cache.EventType `json:"type"`
	// Time is when the record was begun.
	Time    time.Time        `json:"time"`
	Targets []RecordedTarget `json:"targets"`
}

// RecordedTarget is what was asked for, and how the server calls it.
type RecordedTarget struct {
	Resource      string `json:"resource"`
	APIVersion    string `json:"apiVersion"`
	Kind          string `json:"kind"`
	Namespaced    bool   `json:"namespaced"`
	Namespace     string `json:"namespace,omitempty"`
	Name          string `json:"name,omitempty"`
	LabelSelector string `json:"labelSelector,omitempty"`
	FieldSelector string `json:"fieldSelector,omitempty"`
	ShardSelector string `json:"shardSelector,omitempty"`
	// Columns are those that the type's CustomResourceDefinition has for the version.
	Columns []apiextensionsv1.CustomResourceColumnDefinition `json:"columns,omitempty"`
}

// NewRecordHeader is the first line of a record of Targets. definitions are those of
// their types that have one, as far as they could be read: see DefinitionOf.
func NewRecordHeader(began time.Time, targets []cache.Target, definitions []*apiextensionsv1.CustomResourceDefinition) RecordHeader {
	header := RecordHeader{Type: RecordType, Time: began.UTC()}
	for _, t := range targets {
		header.Targets = append(header.Targets, RecordedTarget{
			Resource: t.Resource.Resource, APIVersion: t.Kind.GroupVersion().String(), Kind: t.Kind.Kind,
			Namespaced: t.Namespaced, Namespace: t.Namespace, Name: t.Name,
			LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector, ShardSelector: t.Shard.Selector(),
			Columns: versionOf(definitions, t.Kind).AdditionalPrinterColumns,
		})
	}
	return header
}

// recordedTarget is a RecordedTarget as it is read: what is wrong with its columns leaves
// the events as they are.
type recordedTarget struct {
	RecordedTarget
	Columns span `json:"columns"`
}

func (r *recordReader) header(line recordLine) error {
	if len(r.record.events) > 0 || len(r.record.types) > 0 {
		return errors.New("another record begins: each has to be asked alone")
	}
	for _, t := range line.Targets {
		version, err := schema.ParseGroupVersion(t.APIVersion)
		if err != nil {
			return err
		}
		if t.Kind == "" || t.Resource == "" {
			return errors.New("a target lacks its kind or resource")
		}
		named := apiType{version, guess(version.WithKind(t.Kind), nil)}
		named.Resource = t.Resource
		if t.Namespaced {
			named.Scope = apidiscovery.ScopeNamespace
		}
		r.record.types = append(r.record.types, named)
		r.columns(named, t.Columns)
	}
	return nil
}

// columns takes the columns of a type in. Of those that cannot be used the user hears now:
// the tables of a replay would look as if the type had none.
func (r *recordReader) columns(of apiType, raw span) {
	var columns []apiextensionsv1.CustomResourceColumnDefinition
	if raw == nil {
		return
	}
	err := kubejson.Unmarshal(raw, &columns)
	if err == nil {
		_, err = customColumns(columns)
	}
	if err != nil {
		warning := fmt.Sprintf("%s: line %d: the columns of %s cannot be used, and its tables have NAME and AGE: %v",
			r.file.name, r.line, of.WithResource(of.Resource).GroupResource(), err)
		if !slices.Contains(r.record.warnings, warning) {
			r.record.warnings = append(r.record.warnings, warning)
		}
		return
	}
	if len(columns) == 0 {
		return
	}
	d := &definition{}
	d.Spec.Group, d.Spec.Names.Kind = of.Group, of.kind().Kind
	d.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: of.Version, AdditionalPrinterColumns: columns}}
	r.record.columns = append(r.record.columns, d)
}
