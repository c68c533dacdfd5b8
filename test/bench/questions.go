package main

import "strings"

// question is one row of the table: the same answer, asked of both tools.
type question struct {
	name string
	// kubectl may be a pipeline: a shell runs it.
	kubectl string
	plugin  string
	// stdin is what the plugin reads.
	stdin string
}

// questions are the rows, in the order in which they are printed.
var questions = []question{
	{name: "list pods -A", kubectl: "get pods -A", plugin: "list pods -A"},
	{name: "list pods -A -o wide", kubectl: "get pods -A -o wide", plugin: "list pods -A -o wide"},
	{name: "list pods -A -o name", kubectl: "get pods -A -o name", plugin: "list pods -A -o name"},
	{name: "--by namespace", kubectl: "get pods -n bench-0 -o name", plugin: "list pods -A --by namespace=bench-0 -o name"},
	{name: "--count-by label", kubectl: "get pods -A -L app --no-headers", plugin: "list pods -A --count-by label"},
	{name: "-o json", kubectl: "get pods -A -o json", plugin: "list pods -A -o json"},
	{name: "-o yaml", kubectl: "get pods -A -o yaml", plugin: "list pods -A -o yaml"},
	{name: "-o jsonpath", kubectl: "get pods -A -o jsonpath={.items[*].spec.nodeName}", plugin: "list pods -A -o jsonpath={.items[*].spec.nodeName}"},
	{name: "custom-columns", kubectl: "get pods -A -o custom-columns=N:.metadata.name,NODE:.spec.nodeName", plugin: "list pods -A -o custom-columns=N:.metadata.name,NODE:.spec.nodeName"},
	{name: "--sort-by creation", kubectl: "get pods -A --sort-by=.metadata.creationTimestamp", plugin: "list pods -A --sort-by=.metadata.creationTimestamp"},
	{name: "--by node", kubectl: "get pods -A -o json", plugin: "list pods -A --by node=node-1"},
	{name: "--by image", kubectl: "get pods -A -o json", plugin: "list pods -A --by image=shop/web:1.27 -o name"},
	{name: "--count-by image", kubectl: "get pods -A -o json", plugin: "list pods -A --count-by image"},
	{name: "--where", kubectl: "get pods -A -o json", plugin: "list pods -A -o name --where object.spec.nodeName=='node-1'"},
	{name: "query, 100 questions", kubectl: "get pods -A -o json", plugin: "query pods -A",
		stdin: strings.Repeat("--by node=node-1 -o name\n--by image=shop/web:1.27 -o name\n", 50)},
	{name: "custom resources, table", kubectl: "get widgets -A", plugin: "list widgets -A"},
	{name: "custom resources, -o name", kubectl: "get widgets -A -o name", plugin: "list widgets -A -o name"},
	{name: "custom resources, -o json", kubectl: "get widgets -A -o json", plugin: "list widgets -A -o json"},
	{name: "one small list", kubectl: "get ns", plugin: "list ns"},
	{name: "version", kubectl: "version --client", plugin: "version"},
}

// named are the questions whose name contains a text.
func named(text string) []question {
	var some []question
	for _, q := range questions {
		if strings.Contains(q.name, text) {
			some = append(some, q)
		}
	}
	return some
}
