package index

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// builtinNames are all index names that no user may define again.
func builtinNames() []string {
	return []string{
		"annotation", "condition", "configmap", cache.ContextIndex, "controller", "finalizer", "image", "label", "manager", "name",
		"namespace", "node", "owner", "phase", "pvc", rootName, "secret", "serviceaccount", "uid",
	}
}

// builtins are the built-in indexes that the type can have.
func builtins(t cache.Target) []Definition {
	definitions := metadataIndexes(t)
	for _, index := range objectIndexes() {
		if d, ok := index.of(t.Kind.GroupKind()); ok {
			definitions = append(definitions, d)
		}
	}
	return definitions
}

// builtin is the one of builtins that has the name.
func builtin(t cache.Target, name string) (Definition, bool) {
	for _, index := range objectIndexes() {
		if index.name == name {
			return index.of(t.Kind.GroupKind())
		}
	}
	for _, d := range metadataIndexes(t) {
		if d.Name == name {
			return d, true
		}
	}
	return Definition{}, false
}

// objectIndex is an index that reads more of an object than its metadata.
type objectIndex struct {
	name, example string
	broad         bool
}

func objectIndexes() []objectIndex {
	return []objectIndex{
		{name: "condition", example: "condition=Ready=True", broad: true},
		{name: "configmap", example: "configmap=web-config"},
		{name: "image", example: "image=nginx:1.27"},
		{name: "node", example: "node=node-1"},
		{name: "phase", example: "phase=Running", broad: true},
		{name: "pvc", example: "pvc=data-db-0"},
		{name: "secret", example: "secret=web-tls"},
		{name: "serviceaccount", example: "serviceaccount=default"},
	}
}

// of is the index for a kind, if the kind can have it.
func (i objectIndex) of(kind schema.GroupKind) (Definition, bool) {
	sources := sourcesOf(i.name, kind)
	if len(sources) == 0 {
		return Definition{}, false
	}
	d := fromSources(i.name, i.example, sources)
	d.broad = i.broad
	return d, true
}

// sourcesOf returns all that objects of a kind give to an index; nothing where
// the kind cannot have it. A custom resource can have all: who is to know.
func sourcesOf(name string, kind schema.GroupKind) []source {
	custom := !IsKubernetes(kind.Group)
	switch name {
	case "phase":
		return phaseSources(kind, custom)
	case "condition":
		return conditionSources(kind, custom)
	}
	return append(itself(kind, name), namingSources(name, kind)...)
}

// namingSources are the ways in which objects of a kind name others that an index
// is about.
func namingSources(name string, kind schema.GroupKind) []source {
	custom := !IsKubernetes(kind.Group)
	var sources []source
	if path, ok := podSpecOf(kind); ok {
		sources = append(sources, inPodSpec(name, path))
	} else if custom {
		sources = append(sources, inAnyPodSpec(name))
	}
	switch name {
	case "node":
		return append(sources, nodeSources(kind, custom)...)
	case "pvc":
		return append(sources, claimSources(kind)...)
	case "secret":
		return append(sources, secretSources(kind)...)
	case "serviceaccount":
		return append(sources, serviceAccountSources(kind)...)
	}
	return sources
}

// itself lets an index about objects of a core kind find that object too, so
// that `configmaps --by configmap=@pod/web-1` are those that web-1 uses.
func itself(kind schema.GroupKind, name string) []source {
	if about, ok := nameIndexOf(kind); ok && about == name {
		return []source{at("metadata.name")}
	}
	return nil
}

// nameIndexOf is the index about objects of a kind: its values are names of such.
func nameIndexOf(kind schema.GroupKind) (name string, ok bool) {
	switch kind {
	case schema.GroupKind{Kind: "ConfigMap"}:
		return "configmap", true
	case schema.GroupKind{Kind: "Node"}:
		return "node", true
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		return "pvc", true
	case schema.GroupKind{Kind: "Secret"}:
		return "secret", true
	case schema.GroupKind{Kind: "ServiceAccount"}:
		return "serviceaccount", true
	}
	return "", false
}
