package main

import "strings"

// question is one row of the table: the same answer, asked of both tools.
type question struct {
	name string
	// kubectl may be a pipeline: a shell runs it.
	kubectl string
	plugin  string
}

// questions are the rows, in the order in which they are printed.
var questions = []question{
	{"list pods -A", "get pods -A", "list pods -A"},
	{"list pods -A -o wide", "get pods -A -o wide", "list pods -A -o wide"},
	{"list pods -A -o name", "get pods -A -o name", "list pods -A -o name"},
	{"--by namespace", "get pods -n bench-0 -o name", "list pods -A --by namespace=bench-0 -o name"},
	{"--count-by label", "get pods -A -L app --no-headers", "list pods -A --count-by label"},
	{"-o json", "get pods -A -o json", "list pods -A -o json"},
	{"-o yaml", "get pods -A -o yaml", "list pods -A -o yaml"},
	{"-o jsonpath", "get pods -A -o jsonpath={.items[*].spec.nodeName}", "list pods -A -o jsonpath={.items[*].spec.nodeName}"},
	{"custom-columns", "get pods -A -o custom-columns=N:.metadata.name,NODE:.spec.nodeName", "list pods -A -o custom-columns=N:.metadata.name,NODE:.spec.nodeName"},
	{"--sort-by creation", "get pods -A --sort-by=.metadata.creationTimestamp", "list pods -A --sort-by=.metadata.creationTimestamp"},
	{"--by node", "get pods -A -o json", "list pods -A --by node=node-1"},
	{"--by image", "get pods -A -o json", "list pods -A --by image=shop/web:1.27 -o name"},
	{"--count-by image", "get pods -A -o json", "list pods -A --count-by image"},
	{"--where", "get pods -A -o json", "list pods -A -o name --where object.spec.nodeName=='node-1'"},
	{"custom resources, table", "get widgets -A", "list widgets -A"},
	{"custom resources, -o name", "get widgets -A -o name", "list widgets -A -o name"},
	{"custom resources, -o json", "get widgets -A -o json", "list widgets -A -o json"},
	{"one small list", "get ns", "list ns"},
	{"version", "version --client", "version"},
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
