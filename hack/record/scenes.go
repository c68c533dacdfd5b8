package main

import "time"

// scene is one command of the recording.
type scene struct {
	about, command string
	meanwhile      []change
}

// change is what somebody does to the cluster while the command runs.
type change struct {
	after   time.Duration
	command string
}

func scenes() []scene {
	return []scene{{
		about:   "How many pods has each node?",
		command: "kubectl informer list pods -A --count-by node --limit 3",
	}, {
		about:   "The pods on one node, in the columns of kubectl get",
		command: "kubectl informer list pods --by node=node-1 --limit 4",
	}, {
		about:   "An expression over several fields",
		command: "kubectl informer list deploy --where 'object.spec.replicas > 15' --sort-by=-.spec.replicas",
	}, {
		about:   "Two types in one stream, all offered again after 4s, while somebody scales",
		command: "kubectl informer tail deploy,pods -l app.kubernetes.io/name=web --resync 4s --timeout 6s",
		meanwhile: []change{
			{after: 1500 * time.Millisecond, command: "kubectl scale deployment/web --replicas=3"},
		},
	}, {
		about:   "What changed",
		command: "kubectl informer tail deploy/web --watch-only --diff --max-events 1",
		meanwhile: []change{
			{after: 2500 * time.Millisecond, command: "kubectl set image deployment/web web=nginx:1.28"},
		},
	}, {
		about:   "Wait for three of them, then go on",
		command: "kubectl informer wait pods -l app.kubernetes.io/name=web --for=condition=Ready --count '>=3'",
	}, {
		about: "A controller in one line of shell",
		command: "kubectl informer tail cm --watch-only --max-events 1 -- " +
			`sh -c 'echo "$INFORMER_NAME has changed"'`,
		meanwhile: []change{
			{after: 2500 * time.Millisecond, command: "kubectl label configmap web-config reload=yes"},
		},
	}}
}
