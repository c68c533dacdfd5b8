package cmd

import (
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
)

// withDependencies completes a question as resolve does.
func withDependencies(q *question.Question) *question.Question {
	q.Dependencies = question.NewDependencies(q)
	return q
}

// savedShop has a chain of controllers, and who uses what, in two namespaces.
const savedShop = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: d1}
spec: {template: {spec: {containers: [{name: a, image: x, envFrom: [{secretRef: {name: tls}}]}]}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-1, namespace: shop, uid: r1, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d1, controller: true}]}
spec: {template: {spec: {containers: [{name: a, image: x, envFrom: [{secretRef: {name: tls}}]}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1-a, namespace: shop, uid: p1, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r1, controller: true}]}
spec: {nodeName: node-1, serviceAccountName: robot, containers: [{name: a, image: x}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: shop, uid: p2}
spec: {containers: [{name: a, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: orphan, namespace: dev, uid: p3, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r9, controller: true}]}
spec: {containers: [{name: a, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: strange, namespace: dev, uid: p4, ownerReferences: [{apiVersion: example.com/v1, kind: Robot, name: r2, uid: x2, controller: true}]}
spec: {containers: [{name: a, image: x}]}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop, uid: c1}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: dev, uid: c2}}
---
{apiVersion: v1, kind: Secret, metadata: {name: tls, namespace: shop, uid: s1}}
---
{apiVersion: v1, kind: Secret, metadata: {name: old, namespace: shop, uid: s2}}
---
{apiVersion: v1, kind: Secret, metadata: {name: tls, namespace: dev, uid: s3}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: shop, uid: a1}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop, uid: a2}}
---
{apiVersion: v1, kind: Node, metadata: {name: node-1, uid: n1}}
---
{apiVersion: v1, kind: Node, metadata: {name: node-2, uid: n2}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop, uid: v1}}
`

func askShop(t *testing.T, args string) (stdout, stderr string, code int) {
	t.Helper()
	return askDump(t, map[string]string{"dump.yaml": savedShop}, "", args+" --from dump.yaml")
}

const strangeOwner = "Warning: root: the chain of owners ends at Robot: there is no such type in example.com/v1\n"

func TestTheRootOfAPodIsWhatWasApplied(t *testing.T) {
	for args, want := range map[string]struct{ stdout, stderr string }{
		"list pods -n shop --by root=Deployment/web -o name":                             {"pod/web-1-a\n", ""},
		"list pods -n shop --by root=d1 -o name":                                         {"pod/web-1-a\n", ""},
		"list pods -n shop --by root!=Deployment/web -o name":                            {"pod/alone\n", ""},
		"list pods -n shop --by root=Pod/alone -o name":                                  {"pod/alone\n", ""},
		"list pods -n shop --by root=@pod/shop/web-1-a -o name":                          {"pod/web-1-a\n", ""},
		"list pods,rs,deploy -n shop --by root=Deployment/web -o name":                   {"pod/web-1-a\nreplicaset.apps/web-1\ndeployment.apps/web\n", ""},
		"list pods -n shop --count-by root":                                              {"ROOT             COUNT\nDeployment/web   1\nPod/alone        1\n", ""},
		"list pods --count-by root -o name":                                              {"Deployment/web\nPod/alone\nReplicaSet/web-1\nRobot/r2\n", strangeOwner},
		"list pods --count-by root --by namespace=dev -o name":                           {"ReplicaSet/web-1\nRobot/r2\n", strangeOwner},
		"list pods -n dev --by root=Robot/r2 -o name":                                    {"pod/strange\n", strangeOwner},
		"list pods -n shop --by root=Deployment/web --by phase= --count-by root -ojsonl": {`{"value":"Deployment/web","count":1}` + "\n", ""},
	} {
		stdout, stderr, code := askShop(t, args)
		if code != 0 || stdout != want.stdout || stderr != want.stderr {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestWhatIsUsedAndWhatIsNot(t *testing.T) {
	for args, want := range map[string]string{
		"list pvc --unused-by pods -o jsonpath={.items[*].metadata.namespace}": "dev",
		"list pvc --used-by pods -o jsonpath={.items[*].metadata.namespace}":   "shop",
		"list pvc -n shop --unused-by pods -o name":                            "",
		"list pvc --unused-by pods --count-by namespace -o name":               "dev\n",
		"list secrets -n shop --unused-by all-workloads -o name":               "secret/old\n",
		"list secrets -n shop --used-by all-workloads -o name":                 "secret/tls\n",
		"list secrets -n shop --used-by pods -o name":                          "",
		"list secrets -n shop --unused-by pods,deployments -o name":            "secret/old\n",
		"list secrets -n shop --unused-by pods --used-by rs -o name":           "secret/tls\n",
		"list secrets -n dev --unused-by all-workloads --by name=tls -o name":  "secret/tls\n",
		"list sa --used-by pods -o name":                                       "serviceaccount/robot\n",
		"list sa --used-by deploy -o name":                                     "serviceaccount/default\n",
		"list nodes --unused-by pods -o name":                                  "node/node-2\n",
		"list nodes -n dev --used-by pods -o name":                             "node/node-1\n",
		"list secret tls old -n shop --unused-by deploy -o name":               "secret/old\n",
		"list secrets,pvc -n shop --used-by pods,deploy -o name":               "secret/tls\npersistentvolumeclaim/data\n",
	} {
		stdout, stderr, code := askShop(t, args)
		if code != 0 || stdout != want || stderr != "" {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestWhoUsesWhatCannotAlwaysBeSaid(t *testing.T) {
	for args, want := range map[string]struct {
		stdout, stderr string
		code           int
	}{
		"list svc --unused-by pods":                        {"", "error: it is not known who uses services: that can be asked of configmaps, nodes, persistentvolumeclaims, secrets and serviceaccounts\n", 1},
		"list svc,secrets -n dev --unused-by pods -o name": {"secret/tls\n", "Warning: left out, since they cannot be asked this: services (no known users)\n", 0},
		"list secrets --unused-by svc":                     {"", "error: --unused-by: services do not name secrets\n", 1},
		"list secrets --unused-by nope":                    {"", "error: --unused-by: the server doesn't have a resource type \"nope\"\n", 1},
		"list secrets --used-by ,pods":                     {"", "error: --used-by: a type is needed, such as pods\n", 1},
	} {
		stdout, stderr, code := askShop(t, args)
		if code != want.code || stdout != want.stdout || stderr != want.stderr {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestASessionAnswersByRootAndByUse(t *testing.T) {
	lines := strings.Join([]string{"--by root=Deployment/web -n shop -o name", "--count-by root -n shop -o name", "--by root=@pod/shop/alone -o name"}, "\n")
	stdout, _, code := askDump(t, map[string]string{"dump.yaml": savedShop}, lines, "query pods --from dump.yaml")
	if want := "pod/web-1-a\n---\nDeployment/web\nPod/alone\n---\npod/alone\n---\n"; code != 0 || stdout != want {
		t.Errorf("code %d, got %q", code, stdout)
	}
	lines = strings.Join([]string{"--unused-by deploy -n shop -o name", "--unused-by nope", "--used-by all-workloads -o name", "-o name -n shop"}, "\n")
	stdout, _, code = askDump(t, map[string]string{"dump.yaml": savedShop}, lines, "query secrets --from dump.yaml")
	if want := "secret/old\n---\n{STATUS}\n---\nsecret/tls\n---\nsecret/old\nsecret/tls\n---\n"; code != 0 || withoutStatus(stdout) != want {
		t.Errorf("code %d, got %q", code, stdout)
	}
	stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": savedShop}, "-o name\n--count-by namespace -o name", "query secrets --unused-by pods,deploy --from dump.yaml")
	if want := "secret/tls\nsecret/old\n---\ndev\nshop\n---\n"; code != 0 || stdout != want {
		t.Errorf("code %d, got %q, stderr %q", code, stdout, stderr)
	}
}

// withoutStatus leaves out what Status objects say.
func withoutStatus(answers string) string {
	var out strings.Builder
	for line := range strings.Lines(answers) {
		if strings.HasPrefix(line, `{"kind":"Status"`) {
			line = "{STATUS}\n"
		}
		out.WriteString(line)
	}
	return out.String()
}
