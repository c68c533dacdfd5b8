package index

import (
	"strings"

	toolscache "k8s.io/client-go/tools/cache"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// metadataIndexes are the indexes that every type can have; "namespace" is for
// namespaced types alone, "context" for objects of several clusters.
func metadataIndexes(t cache.Target) []Definition {
	definitions := append(ownerIndexes(),
		onMetadata(Definition{Name: "name", Reads: ".metadata.name", Example: "name=web"},
			func(row *cache.Row) []string { return notEmpty(row.Name) }),
		onMetadata(Definition{Name: "uid", Reads: ".metadata.uid", Example: "uid=2f1c7f0e-5b1d-4c3a"},
			func(row *cache.Row) []string { return notEmpty(string(row.UID)) }),
		onMetadata(Definition{Name: "label", Reads: ".metadata.labels, as KEY=VALUE and as KEY", Example: "label=app=web"},
			func(row *cache.Row) []string { return pairsAndKeys(row.Labels) }),
		onMetadata(Definition{Name: "annotation", Reads: ".metadata.annotations, as KEY=VALUE and as KEY", Example: "annotation=team"},
			func(row *cache.Row) []string { return pairsAndKeys(row.Annotations) }),
		onMetadata(Definition{Name: "finalizer", Reads: ".metadata.finalizers", Example: "finalizer=kubernetes.io/pvc-protection"},
			func(row *cache.Row) []string { return notEmpty(row.Finalizers...) }),
		onMetadata(Definition{
			Name: "manager", Reads: ".metadata.managedFields[*].manager", Example: "manager=kubectl",
			Needs: cache.ManagedFields, broad: true,
		}, managers),
	)
	if t.Context != "" {
		definitions = append(definitions, onMetadata(Definition{
			Name: cache.ContextIndex, Reads: "the context by which the cluster is reached", Example: "context=" + t.Context, broad: true,
		}, func(*cache.Row) []string { return []string{t.Context} }))
	}
	if t.Namespaced {
		definitions = append(definitions, onMetadata(Definition{
			Name: toolscache.NamespaceIndex, Reads: ".metadata.namespace", Example: "namespace=default", broad: true,
		}, func(row *cache.Row) []string { return notEmpty(row.Namespace) }))
	}
	return definitions
}

func ownerIndexes() []Definition {
	return []Definition{
		onMetadata(Definition{
			Name: "owner", Reads: ".metadata.ownerReferences, as KIND[.GROUP]/NAME and as uid",
			Example: "owner=ReplicaSet/web-5d7c", alias: isOtherName,
		}, func(row *cache.Row) []string { return owners(row, false) }),
		onMetadata(Definition{
			Name: "controller", Reads: "the owner reference with controller: true, as KIND[.GROUP]/NAME and as uid",
			Example: "controller=ReplicaSet/web-5d7c", alias: isOtherName,
		}, func(row *cache.Row) []string { return owners(row, true) }),
	}
}

func onMetadata(d Definition, values func(*cache.Row) []string) Definition {
	d.light = d.Needs == cache.Metadata && d.Name != "annotation"
	d.compute = func(v *view) []string { return values(v.row) }
	return define(d)
}

// notEmpty leaves out empty strings, which name nothing. It never returns its argument.
func notEmpty(values ...string) []string {
	var named []string
	for _, s := range values {
		if s != "" {
			named = append(named, s)
		}
	}
	return named
}

func pairsAndKeys(of map[string]string) []string {
	values := make([]string, 0, 2*len(of))
	for key, value := range of {
		values = append(values, key, key+"="+value)
	}
	return values
}

func owners(row *cache.Row, controllerOnly bool) []string {
	var values []string
	for _, owner := range row.OwnerReferences {
		if !controllerOnly || owner.Controller != nil && *owner.Controller {
			values = append(values, ownerValues(owner)...)
		}
	}
	return values
}

// isOtherName tells an owner's uid and its KIND.GROUP/NAME from its KIND/NAME, of
// which they are other names: no KIND has a dot.
func isOtherName(owner string) bool {
	kind, _, named := strings.Cut(owner, "/")
	return !named || strings.Contains(kind, ".")
}

func managers(row *cache.Row) []string {
	var values []string
	for _, entry := range row.ManagedFields {
		values = append(values, notEmpty(entry.Manager)...)
	}
	return values
}
