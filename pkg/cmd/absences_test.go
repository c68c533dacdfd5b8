package cmd

import (
	"strings"
	"testing"
)

func TestNoAnswerIsEmptyInSilence(t *testing.T) {
	const running = `apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: r, controller: true}]}
spec: {nodeName: node-1}
status: {phase: Running}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-1, namespace: shop, uid: r, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop, uid: d}}
---
{apiVersion: v1, kind: Pod, metadata: {name: bare, namespace: shop}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: shop}, data: {password: c2VjcmV0}}
`
	for args, want := range map[string]string{
		"pods --by phase=running":                                  `hint: no pod has phase "running"; did you mean "Running"?`,
		"pods --by phase=Failed":                                   `hint: no pod has phase "Failed"; there is "Running"`,
		"pods --by phase=Failed --by phase=Runnin":                 `hint: no pod has phase "Runnin"; did you mean "Running"?`,
		"pods --by phase=Failed --by phase=Running":                "",
		"pods --by label=app:web":                                  `hint: no pod has label "app:web"; did you mean "app=web"?`,
		"pods --by name=x":                                         `hint: no pod has name "x"; there are "a", "bare"`,
		"pods --by secret=x":                                       "hint: no pod has any secret",
		"pods --by owner=Deployment/web":                           `hint: no pod has owner "Deployment/web", which does not own them itself; --by root=Deployment/web are those below it`,
		"pods --by owner=Deployment.apps/web":                      `hint: no pod has owner "Deployment.apps/web", which does not own them itself; --by root=Deployment.apps/web are those below it`,
		"pods --by root=Deployment.apps/web":                       "",
		"deploy --by root=Deployment.apps/web":                     "",
		"pods --by owner=ReplicaSet.apps/web-1":                    "",
		"pods --by controller=ReplicaSet.apps/web-1":               "",
		"pods --by owner=ReplicaSet.example.com/web-1":             `hint: no pod has owner "ReplicaSet.example.com/web-1"; there is "ReplicaSet/web-1"`,
		"pods --by owner=deployment/web":                           `hint: no pod has owner "deployment/web", which does not own them itself; --by root=deployment/web are those below it`,
		"rs --by owner=deployment/web":                             `hint: no replicaset has owner "deployment/web"; did you mean "Deployment/web"?`,
		"pods --by root=deployment/web":                            `hint: no pod has root "deployment/web"; did you mean "Deployment/web"?`,
		"pods --by owner=ReplicaSet/web-2":                         `hint: no pod has owner "ReplicaSet/web-2"; did you mean "ReplicaSet/web-1"?`,
		"pods,rs --by name=web1":                                   `hint: no object has name "web1"; did you mean "web-1"?`,
		"pods,rs --by name=web-1":                                  "",
		"pods --by spec.nodeName=node-9":                           `hint: no pod has spec.nodeName "node-9"; did you mean "node-1"?`,
		"pods --by spec.nodename=node-1":                           `Warning: no object has a value at .spec.nodename; write a dot within a key as \. and the elements of a list as [*]`,
		"pods --by spec.nope= --by name=x":                         `Warning: no object has a value at .spec.nope: --by .spec.nope= keeps all of them` + "\n" + `hint: no pod has name "x"; there are "a", "bare"`,
		"pods --by spec.nodeName= --by name=a":                     "",
		"pods --by phase!=running --by phase!=Running --by name=a": "",
		"pods --by spec.nodeName=@pod/shop/bare":                   "Warning: pod/shop/bare has no value at spec.nodeName: no object is like it there",
		"pods --by node=@pod/shop/bare":                            "Warning: pod/shop/bare has no value at node: no object is like it there",
		"pods --by phase=running --count-by node":                  `hint: no pod has phase "running"; did you mean "Running"?`,
		// The server has narrowed what is known, or there is nothing at all.
		"pods -l app=web --by phase=running":   "",
		"pod a -n shop --by phase=running":     "",
		"pods -n elsewhere --by phase=running": "",
		"secrets --by .data.password=c2VjcmVU": "",
		"secrets --by .data.password=x":        "",
	} {
		stdout, stderr, code := askDump(t, map[string]string{"dump.yaml": running}, "", "list --from dump.yaml -o name "+args)
		if want != "" {
			want += "\n"
		}
		if code != 0 || stderr != want {
			t.Errorf("%s: code %d, stdout %q, stderr\n%swant\n%s", args, code, stdout, stderr, want)
		}
	}
	lines := "--by phase=running -o json\n--by node=@pod/shop/bare -o name"
	stdout, stderr, _ := askDump(t, map[string]string{"dump.yaml": running}, lines, "query pods --from dump.yaml")
	if !strings.Contains(stdout, `"warnings": [
        "no pod has phase \"running\"; did you mean \"Running\"?"
    ]`) || stderr != "Warning: line 1: no pod has phase \"running\"; did you mean \"Running\"?\nWarning: line 2: pod/shop/bare has no value at node: no object is like it there\n" {
		t.Errorf("query: %s\n%s", stdout, stderr)
	}
}

func TestAProducerThatFailedIsNoEmptyCluster(t *testing.T) {
	for _, stdin := range []string{"", "\n \n"} {
		stdout, stderr, code := askDump(t, nil, stdin, "list pods --from -")
		if stdout != "" || code != 1 || stderr != "error: stdin is empty: what should have written to it may have failed\n" {
			t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
		}
	}
}
