package stories

import (
	"slices"
	"testing"
)

// manifests of what the examples of kubectl wait are about.
const (
	busybox1 = `
apiVersion: v1
kind: Pod
metadata: {name: busybox1, labels: {app: busybox}}
spec: {containers: [{name: main, image: busybox}]}
`
	// unscheduled keeps a pod from running.
	unscheduled = `
apiVersion: v1
kind: Pod
metadata: {name: busybox1, labels: {app: busybox}}
spec:
  schedulingGates: [{name: example.com/later}]
  containers: [{name: main, image: busybox}]
`
	loadBalancer = `
apiVersion: v1
kind: Service
metadata: {name: loadbalancer}
spec: {type: LoadBalancer, ports: [{port: 80}]}
`
	several = busybox1 + `
---
apiVersion: v1
kind: Pod
metadata: {name: another, labels: {app: busybox}}
spec: {containers: [{name: main, image: busybox}]}
---
apiVersion: v1
kind: Secret
metadata: {name: busybox1, labels: {app: busybox}}
`
)

// notReady is what a kubelet says of a pod whose container does not come up.
const notReady = `{"status":{"conditions":[
	{"type":"Ready","status":"False","reason":"ContainersNotReady","lastTransitionTime":"2026-01-01T00:00:00Z"},
	{"type":"ContainersReady","status":"False","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`

// waiting is one wait that both tools are asked for.
type waiting struct {
	name string
	// given is what is there, after the commands of kubectl that follow.
	given    string
	prepared [][]string
	args     []string
	// meanwhile is a command of kubectl for when both wait, if it takes one to
	// end them. Those wait for one watch.
	meanwhile []string
}

// documented are the examples of `kubectl wait --help`, in its order (the last
// one, a shell's loop, is a script), and then what else users write.
func documented() []waiting {
	ready := [][]string{{"wait", "pod", "--all", "--for=condition=Ready"}}
	patch := []string{"patch", "pod/busybox1", "--subresource=status", "--patch", notReady}
	ingress := []string{"patch", "service/loadbalancer", "--subresource=status", "--patch", `{"status":{"loadBalancer":{"ingress":[{"ip":"10.0.0.1"}]}}}`}
	return []waiting{
		{name: "ready", given: busybox1, args: []string{"--for=condition=Ready", "pod/busybox1"}},
		{name: "not ready", given: unscheduled, args: []string{"--for=condition=Ready=false", "pod/busybox1"}, meanwhile: patch},
		{name: "phase", given: busybox1, args: []string{"--for=jsonpath={.status.phase}=Running", "pod/busybox1"}},
		{name: "condition by path", given: busybox1, args: []string{`--for=jsonpath={.status.conditions[?(@.type=="Ready")].status}=True`, "pod/busybox1"}},
		{name: "any value", given: loadBalancer, args: []string{"--for=jsonpath={.status.loadBalancer.ingress}", "service/loadbalancer"}, meanwhile: ingress},
		{name: "create", args: []string{"--for=create", "secret/busybox1", "--timeout=30s"}, prepared: [][]string{{"create", "secret", "generic", "busybox1"}}},
		{name: "delete", given: busybox1, prepared: ready, args: []string{"--for=delete", "pod/busybox1", "--timeout=60s"}, meanwhile: []string{"delete", "pod/busybox1"}},

		{name: "all", given: several, args: []string{"pods", "--all", "--for=condition=Ready"}},
		{name: "selector", given: several, args: []string{"pods", "-l", "app=busybox", "--for=condition=Ready"}},
		{name: "field selector", given: several, args: []string{"pods", "--all", "--field-selector=metadata.name=another", "--for=condition=Ready"}},
		{name: "in the order of arguments", given: several, args: []string{"pod/busybox1", "secret/busybox1", "pod/another", "--for=create"}},
		{name: "types in the order of arguments", given: several, args: []string{"secrets,pods", "-l", "app=busybox", "--for=create"}},
		{name: "type and names", given: several, args: []string{"pod", "busybox1", "another", "--for=condition=ready"}},
		{name: "other namespaces", args: []string{"deployments", "-A", "-l", "app in (hello,playground)", "--for=condition=Available", "--field-selector=metadata.namespace!=kube-system"}},
		{name: "delete all", given: several, prepared: ready, args: []string{"pod", "another", "--for=delete"}, meanwhile: []string{"delete", "pods", "--all"}},
		{name: "delete nothing", args: []string{"pod/busybox1", "--for=delete"}},
		{name: "delete nothing selected", args: []string{"pods", "-l", "app=busybox", "--for=delete"}},
		{name: "once", given: busybox1, prepared: ready, args: []string{"pod/busybox1", "--for=condition=Ready", "--timeout=0"}},

		{name: "as names", given: several, prepared: ready, args: []string{"pods", "--all", "--for=condition=Ready", "-o", "name"}},
		{name: "as json", given: several, prepared: ready, args: []string{"pods", "--all", "--for=condition=Ready", "-o", "json"}},
		{name: "as yaml", given: several, prepared: ready, args: []string{"pods", "--all", "--for=condition=Ready", "-o", "yaml"}},
		{name: "with managed fields", given: busybox1, prepared: ready, args: []string{"pod/busybox1", "--for=create", "-o", "yaml", "--show-managed-fields"}},
		{name: "by a path", given: several, prepared: ready, args: []string{"pods", "--all", "--for=create", "-o", "jsonpath={.status.phase} {.metadata.managedFields[*].manager}"}},
		{name: "by a template", given: several, prepared: ready, args: []string{"pods", "--all", "--for=create", "--template={{.status.phase}} {{len .metadata.managedFields}}\n"}},
	}
}

// Scripts that wait with kubectl wait go on as before.
func TestWaitIsWhatKubectlWaitIs(t *testing.T) {
	t.Parallel()
	for _, one := range documented() {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			user := newUser(t)
			if one.given != "" {
				user.apply(one.given)
			}
			for _, command := range one.prepared {
				user.kubectl(command...)
			}
			theirs, ours := slices.Concat([]string{"wait"}, one.args), slices.Concat([]string{"informer", "wait"}, one.args)
			if one.meanwhile != nil {
				theirs, ours = append(theirs, "-v=6"), append(ours, "-v=6")
			}
			kubectl, informer := user.start("kubectl", theirs...), user.start("kubectl", ours...)
			if one.meanwhile != nil {
				kubectl.untilWatching()
				informer.untilWatching()
				user.kubectl(one.meanwhile...)
			}
			want, got := kubectl.end(), informer.end()
			if want.Code != 0 || got.Code != want.Code || got.Stdout != want.Stdout {
				t.Errorf("kubectl exits %d and prints:\n%s%s\nwe exit %d and print:\n%s%s",
					want.Code, want.Stdout, want.Stderr, got.Code, got.Stdout, got.Stderr)
			}
		})
	}
}
