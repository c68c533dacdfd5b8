package match_test

import (
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

func TestAnExpressionNeedsNoMoreThanItReads(t *testing.T) {
	for expression, want := range map[string]cache.Representation{
		`true`:                        cache.Metadata,
		`object.metadata.name == "a"`: cache.Metadata,
		`object.kind == "Pod" && object.apiVersion == "v1"`:                  cache.Metadata,
		`object.metadata.labels["app"] in ["a"] || has(object.metadata.uid)`: cache.Metadata,
		`object.metadata.?labels["app"].orValue("") == "a"`:                  cache.Metadata,
		`object.?metadata.?labels["app"].orValue("") == "a"`:                 cache.Metadata,
		`object.metadata.ownerReferences.exists(o, o.kind == "Job")`:         cache.Metadata,
		`object.metadata.generation != oldObject.metadata.generation`:        cache.Metadata,
		`.object.metadata.name == "a"`:                                       cache.Metadata,
		`object.spec.nodeName == "a"`:                                        cache.Whole,
		`has(object.status)`:                                                 cache.Whole,
		`object.metadata.name == "a" && oldObject.spec.x == 1`:               cache.Whole,
		`object.metadata.labels.exists(k, object.spec.x == k)`:               cache.Whole,
		`object == oldObject`:                                                cache.Whole,
		`object.metadata == oldObject.metadata`:                              cache.Whole,
		`object.metadata["name"] == "a"`:                                     cache.Whole,
		`object.metadata.selfLink == "a"`:                                    cache.Whole,
		`object["spec"].x == 1`:                                              cache.Whole,
		`object.?spec.hasValue()`:                                            cache.Whole,
		`[object].exists(o, o.spec.x == 1)`:                                  cache.Whole,
		`oldObject == null`:                                                  cache.Whole,
		`object.metadata.managedFields.exists(m, m.manager == "kubectl")`:    cache.ManagedFields,
		`has(object.metadata.managedFields)`:                                 cache.ManagedFields,
		`"managedFields" in object.metadata`:                                 cache.Whole | cache.ManagedFields,
		`object.metadata["managedFields"].size() > 0`:                        cache.Whole | cache.ManagedFields,
		`{"m": object.metadata}.m.managedFields.size() > 0`:                  cache.Whole | cache.ManagedFields,
	} {
		t.Run(expression, func(t *testing.T) {
			if got := mustCompile(t, expression).Needs(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if got := mustParseFor(t, "create", "cel="+expression).Needs(); got != want {
				t.Errorf("as --for=cel: got %s, want %s", got, want)
			}
		})
	}
}

func TestEveryExpressionAddsItsNeeds(t *testing.T) {
	where := mustCompile(t, `object.metadata.name == "a"`, `object.spec.x == 1`, `has(object.metadata.managedFields)`)
	if got := where.Needs(); got != cache.Whole|cache.ManagedFields {
		t.Errorf("got %s", got)
	}
}

func TestAPathNeedsNoMoreThanItReads(t *testing.T) {
	for path, want := range map[string]cache.Representation{
		`metadata.name`:                       cache.Metadata,
		`{.metadata.labels}`:                  cache.Metadata,
		`.metadata.labels.*`:                  cache.Metadata,
		`{.metadata['labels','annotations']}`: cache.Whole,
		`.metadata['labels']`:                 cache.Metadata,
		`.kind`:                               cache.Metadata,
		`.spec.replicas`:                      cache.Whole,
		`.metadata`:                           cache.Whole,
		`.*`:                                  cache.Whole,
		`..name`:                              cache.Whole,
		`.metadata.managedFields[*].manager`:  cache.ManagedFields,
		`..managedFields`:                     cache.Whole | cache.ManagedFields,
	} {
		t.Run(path, func(t *testing.T) {
			changed, err := match.ParseChanged(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := changed.Needs(); got != want {
				t.Errorf("--changed: got %s, want %s", got, want)
			}
			if got := mustParseFor(t, "jsonpath="+path).Needs(); got != want {
				t.Errorf("--for=jsonpath: got %s, want %s", got, want)
			}
		})
	}
}

func TestAConditionNeedsTheStatusAndExistenceNothing(t *testing.T) {
	if got := mustParseFor(t, "create", "delete").Needs(); got != cache.Metadata {
		t.Errorf("create and delete: got %s", got)
	}
	if got := mustParseFor(t, "create", "condition=Ready").Needs(); got != cache.Whole {
		t.Errorf("condition: got %s", got)
	}
}

// What is said to need metadata only has to give the same answer without the rest.
func TestMetadataAloneAnswersLikeTheWholeObject(t *testing.T) {
	whole := rowOf(t, `
apiVersion: v1
kind: Pod
metadata:
  name: a
  namespace: shop
  generation: 3
  labels: {app: web}
  creationTimestamp: "2024-05-01T10:00:00Z"
  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}]
  finalizers: [example.com/a]
spec: {nodeName: n}`)
	bare := &cache.Row{TypeMeta: whole.TypeMeta, ObjectMeta: whole.ObjectMeta}
	for _, expression := range []string{
		`object.metadata.name == "a" && object.kind == "Pod" && object.apiVersion == "v1"`,
		`object.metadata.generation == 3 && type(object.metadata.generation) == int`,
		`object.metadata.labels == {"app": "web"} && !has(object.metadata.annotations)`,
		`object.metadata.ownerReferences.exists(o, o.controller && o.kind == "Job")`,
		`timestamp(object.metadata.creationTimestamp).getFullYear() == 2024`,
		`object.metadata.finalizers == ["example.com/a"]`,
		`!has(object.metadata.deletionTimestamp) && !has(object.metadata.generateName) && !has(object.metadata.uid)`,
	} {
		where := mustCompile(t, expression)
		if where.Needs() != cache.Metadata {
			t.Fatalf("%s needs %s", expression, where.Needs())
		}
		for form, row := range map[string]*cache.Row{"whole": whole, "metadata": bare} {
			if got, _, err := where.Eval(t.Context(), time.Now(), row, nil); !got || err != nil {
				_, first := where.Misses()
				t.Errorf("%s of %s: got %v, %v, %s", expression, form, got, err, first)
			}
		}
	}
}
