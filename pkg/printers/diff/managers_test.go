package diff_test

import (
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

// written is a Deployment with managedFields.
func written(image string, more string, entries ...string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, managedFields: [" + strings.Join(entries, ", ") + "]}\n" +
		"spec: {" + more + "template: {spec: {containers: [{name: web, image: '" + image + "', args: [a], ports: [{containerPort: 80}]}]}}}"
}

func entry(manager, time, fields string) string {
	return `{"manager": "` + manager + `", "operation": "Update", "time": "` + time + `", "fieldsV1": ` + fields + `}`
}

const (
	atFirst = "2026-01-01T00:00:00Z"
	later   = "2026-01-01T00:01:00Z"
	inWeb   = `{"f:spec": {"f:template": {"f:spec": {"f:containers": {"k:{\"name\":\"web\"}": {".": {}, "f:image": {}, "f:args": {}, "f:ports": {".": {}, "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {"f:hostPort": {}}}}}}}}}`
	scale   = `{"f:spec": {"f:replicas": {}}}`
)

func TestAChangeSaysWhoHasMadeIt(t *testing.T) {
	for name, test := range map[string]struct{ old, now, want string }{
		"the only owner": {
			written("a", "", entry("kubectl-create", atFirst, inWeb)), written("b", "", entry("kubectl-edit", later, inWeb)),
			"spec.template.spec.containers[web].image: a → b   by kubectl-edit",
		},
		"the only owner, within the second of its last write": {
			written("a", "", entry("kubectl-edit", atFirst, inWeb)), written("b", "", entry("kubectl-edit", atFirst, inWeb)),
			"spec.template.spec.containers[web].image: a → b   by kubectl-edit",
		},
		"each field its own": {
			written("a", "replicas: 1, ", entry("kubectl-create", atFirst, inWeb), entry("autoscaler", atFirst, scale)),
			written("b", "replicas: 2, ", entry("kubectl-edit", later, inWeb), entry("autoscaler", later, scale)),
			"spec.replicas: 1 → 2   by autoscaler\nspec.template.spec.containers[web].image: a → b   by kubectl-edit",
		},
		"of two owners the one that has written": {
			written("a", "", entry("helm", atFirst, inWeb), entry("argo", atFirst, inWeb)),
			written("b", "", entry("helm", atFirst, inWeb), entry("argo", later, inWeb)),
			"spec.template.spec.containers[web].image: a → b   by argo",
		},
		"of two that have written nobody knows": {
			written("a", "", entry("helm", atFirst, inWeb), entry("argo", atFirst, inWeb)),
			written("b", "", entry("helm", later, inWeb), entry("argo", later, inWeb)),
			"spec.template.spec.containers[web].image: a → b",
		},
		"what has gone was taken by the writer": {
			written("a", "replicas: 2, ", entry("kubectl-create", atFirst, scale)), written("a", "", entry("kubectl-edit", later, inWeb)),
			"spec.replicas: 2 → <none>   by kubectl-edit",
		},
		"not the one that has what it is in": {
			written("a", "replicas: 1, ", entry("kubectl-create", atFirst, scale)),
			written("a", "replicas: 2, ", entry("kubectl-create", later, `{"f:spec": {}}`), entry("kubectl-scale", later, scale)),
			"spec.replicas: 1 → 2   by kubectl-scale",
		},
		"no managedFields": {written("a", ""), written("b", ""), "spec.template.spec.containers[web].image: a → b"},
		"an owner of something else": {
			written("a", ""), written("b", "", entry("autoscaler", later, scale)), "spec.template.spec.containers[web].image: a → b",
		},
		"a name that a terminal would act on": {
			written("a", ""), written("b", "", entry(`\u001b[2J`, later, inWeb)), "spec.template.spec.containers[web].image: a → b   by ^[[2J",
		},
		"all below belongs to its owner": {
			strings.Replace(written("a", ""), "args: [a]", "args: [a]", 1), strings.Replace(written("a", "", entry("kubectl-edit", later, inWeb)), "args: [a]", "args: [b]", 1),
			"spec.template.spec.containers[web].args: [a] → [b]   by kubectl-edit",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := diff.Between(row(t, test.old), row(t, test.now), diff.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(d.Lines(), "\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// An item of which a key has its default is found by the others.
func TestAnItemIsFoundByTheKeysThatItHas(t *testing.T) {
	open := func(hostPort string) string {
		return strings.Replace(written("a", "", entry("kubectl-edit", atFirst, inWeb)), "containerPort: 80", "containerPort: 80, hostPort: "+hostPort, 1)
	}
	d, err := diff.Between(row(t, open("1")), row(t, open("2")), diff.Options{})
	if err != nil || len(d.Changes) != 1 || d.Changes[0].Manager != "kubectl-edit" || d.Changes[0].Object()["manager"] != "kubectl-edit" {
		t.Errorf("got %+v, %v", d, err)
	}
}
