package main

import (
	"strconv"
	"strings"
)

// question is one row of the table: the same answer, asked of both tools.
type question struct {
	name string
	// kubectl is a line of shell.
	kubectl string
	// times is how often kubectl has to be asked for one of our answers; it is
	// asked once, and its cost multiplied. 0 is 1.
	times  int
	plugin string
	// stdin is what the plugin reads.
	stdin string
}

// hundred are as many questions of a query, about other values each.
func hundred(question string) string {
	var lines strings.Builder
	for n := range 100 {
		lines.WriteString(strings.ReplaceAll(question, "%", strconv.Itoa(n)) + "\n")
	}
	return lines.String()
}

// questions are the rows, in the order in which they are printed.
func questions() []question {
	const (
		everything = "kubectl get pods -A -o json"
		eachNode   = "for n in $(seq 0 99); do kubectl get pods -A -o name --field-selector spec.nodeName=node-$n; done"
	)
	onNode := everything + ` | jq -r '.items[] | select(.spec.nodeName == "node-1") | .metadata.name'`
	ofImage := everything + ` | jq -r '.items[] | select(any(.spec.containers[]; .image == "shop/web:1.7")) | .metadata.name'`
	images := everything + ` | jq -r '.items[].spec.containers[].image' | sort | uniq -c`
	apps := `kubectl get pods -A -o 'jsonpath={range .items[*]}{.metadata.labels.app}{"\n"}{end}' | sort | uniq -c`
	return []question{
		{name: "`list pods -A`", kubectl: "kubectl get pods -A", plugin: "list pods -A"},
		{name: "`list pods -A -o wide`", kubectl: "kubectl get pods -A -o wide", plugin: "list pods -A -o wide"},
		{name: "`list pods -A -o name`", kubectl: "kubectl get pods -A -o name", plugin: "list pods -A -o name"},
		{name: "`--count-by label` (kubectl: jsonpath)", kubectl: apps, plugin: "list pods -A --count-by label"},
		{name: "`--count-by label` (kubectl: `-L app`)", kubectl: "kubectl get pods -A -L app --no-headers", plugin: "list pods -A --count-by label"},
		{name: "`--by namespace=… -o name` (kubectl: jq)", kubectl: everything + " | jq -r '.items[] | select(.metadata.namespace == \"bench-0\") | .metadata.name'", plugin: "list pods -A --by namespace=bench-0 -o name"},
		{name: "`--by namespace=… -o name` (kubectl: `-n`)", kubectl: "kubectl get pods -n bench-0 -o name", plugin: "list pods -A --by namespace=bench-0 -o name"},
		{name: "`list pods -A -o json`", kubectl: everything, plugin: "list pods -A -o json"},
		{name: "`list pods -A -o yaml`", kubectl: "kubectl get pods -A -o yaml", plugin: "list pods -A -o yaml"},
		{name: "`-o jsonpath=…`", kubectl: "kubectl get pods -A -o jsonpath={.items[*].spec.nodeName}", plugin: "list pods -A -o jsonpath={.items[*].spec.nodeName}"},
		{name: "`-o custom-columns=…`", kubectl: "kubectl get pods -A -o custom-columns=N:.metadata.name,NODE:.spec.nodeName", plugin: "list pods -A -o custom-columns=N:.metadata.name,NODE:.spec.nodeName"},
		{name: "`--where …` (kubectl: jq)", kubectl: onNode, plugin: "list pods -A -o name --where object.spec.nodeName=='node-1'"},
		{name: "`--sort-by .metadata.creationTimestamp`", kubectl: "kubectl get pods -A --sort-by=.metadata.creationTimestamp", plugin: "list pods -A --sort-by=.metadata.creationTimestamp"},
		{name: "`--by node=…` (kubectl: jq)", kubectl: onNode, plugin: "list pods -A --by node=node-1"},
		{name: "`--by node=… -o name` (kubectl: `--field-selector`)", kubectl: "kubectl get pods -A -o name --field-selector spec.nodeName=node-1", plugin: "list pods -A --by node=node-1 -o name"},
		{name: "`--by node=…` (kubectl: `--field-selector`)", kubectl: "kubectl get pods -A --field-selector spec.nodeName=node-1", plugin: "list pods -A --by node=node-1"},
		{name: "`--by namespace=…` (kubectl: `-n`)", kubectl: "kubectl get pods -n bench-0", plugin: "list pods -A --by namespace=bench-0"},
		{name: "`--by name=… -o name` (kubectl: `--field-selector`)", kubectl: "kubectl get pods -A -o name --field-selector metadata.name=app-1-6d4cf56e-00001", plugin: "list pods -A --by name=app-1-6d4cf56e-00001 -o name"},
		{name: "`--by label=… -o name` (kubectl: `-l`)", kubectl: "kubectl get pods -A -o name -l app=app-1", plugin: "list pods -A --by label=app=app-1 -o name"},
		{name: "`--by phase=… -o name` (kubectl: `--field-selector`)", kubectl: "kubectl get pods -A -o name --field-selector status.phase=Running", plugin: "list pods -A --by phase=Running -o name"},
		{name: "`--where … -o name` (kubectl: `--field-selector`)", kubectl: "kubectl get pods -A -o name --field-selector spec.nodeName=node-1", plugin: "list pods -A -o name --where object.spec.nodeName=='node-1'"},
		{name: "`--by image=…` (kubectl: jq)", kubectl: ofImage, plugin: "list pods -A --by image=shop/web:1.7 -o name"},
		{name: "`--count-by image` (kubectl: jq)", kubectl: images, plugin: "list pods -A --count-by image"},
		{name: "`query`, 100 by node (kubectl: 100 field selectors)", kubectl: eachNode, plugin: "query pods -A", stdin: hundred("--by node=node-% -o name")},
		{name: "`query`, 100 by image (kubectl: jq, times 100)", kubectl: ofImage, times: 100, plugin: "query pods -A", stdin: hundred("--by image=shop/web:1.% -o name")},
		{name: "custom resources, table", kubectl: "kubectl get widgets -A", plugin: "list widgets -A"},
		{name: "custom resources, `-o name`", kubectl: "kubectl get widgets -A -o name", plugin: "list widgets -A -o name"},
		{name: "custom resources, `-o json`", kubectl: "kubectl get widgets -A -o json", plugin: "list widgets -A -o json"},
		{name: "one small list", kubectl: "kubectl get ns", plugin: "list ns"},
		{name: "`version`", kubectl: "kubectl version --client", plugin: "version"},
	}
}

// named are the questions whose name contains a text.
func named(text string) []question {
	var some []question
	for _, q := range questions() {
		if strings.Contains(q.name, text) {
			some = append(some, q)
		}
	}
	return some
}
