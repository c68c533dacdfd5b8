package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// question is one row of the table: the same answer, asked of both tools. What
// stands between % is one of the values that the cluster has: %node%.
type question struct {
	name string
	// kubectl is a line of shell: the best that kubectl has for the answer.
	kubectl string
	plugin  string
	// each is a line that the plugin reads once for each of the values of a kind:
	// %node% for all of "nodes".
	each, nodesOrImages string
	// times is how often kubectl has to be asked for one of our answers; it is
	// asked once, and its cost multiplied. 0 is 1.
	times int
	stdin string
}

// values are what a cluster has to ask for, by the name of the placeholder: one
// each, or several for node and image.
type values map[string][]string

// most is how many values of a kind a query asks for.
const most = 100

// placeholder is the name of a value.
var placeholder = regexp.MustCompile(`%([a-z]+)%`)

// of returns the question about values of a cluster; missing is what the cluster has
// none of.
func (q question) of(v values) (filled question, missing string) {
	fill := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(name string) string {
			name = strings.Trim(name, "%")
			plural := strings.HasSuffix(name, "s")
			all := v[strings.TrimSuffix(name, "s")]
			switch {
			case len(all) == 0:
				missing = strings.TrimSuffix(name, "s")
				return name
			case plural:
				return strings.Join(all[:min(len(all), most)], " ")
			}
			return all[0]
		})
	}
	q.kubectl, q.plugin = fill(q.kubectl), fill(q.plugin)
	if q.each == "" {
		return q, missing
	}
	all := v[q.nodesOrImages]
	if len(all) == 0 {
		return q, q.nodesOrImages
	}
	for _, value := range all[:min(len(all), most)] {
		q.stdin += strings.ReplaceAll(q.each, "%"+q.nodesOrImages+"%", value) + "\n"
	}
	if q.times > 1 {
		q.times = min(len(all), most)
	}
	return q, missing
}

// questions are the rows, in the order in which they are printed.
func questions() []question {
	return slices.Concat(lists(), narrowed(), queries(), others())
}

const everything = "kubectl get pods -A -o json"

// lists read all pods.
func lists() []question {
	return []question{
		{name: "table", kubectl: "kubectl get pods -A", plugin: "list pods -A"},
		{name: "wide table", kubectl: "kubectl get pods -A -o wide", plugin: "list pods -A -o wide"},
		{name: "names", kubectl: "kubectl get pods -A -o name", plugin: "list pods -A -o name"},
		{name: "json", kubectl: everything, plugin: "list pods -A -o json"},
		{name: "yaml", kubectl: "kubectl get pods -A -o yaml", plugin: "list pods -A -o yaml"},
		{name: "jsonpath", kubectl: "kubectl get pods -A -o jsonpath={.items[*].spec.nodeName}", plugin: "list pods -A -o jsonpath={.items[*].spec.nodeName}"},
		{name: "custom columns", kubectl: "kubectl get pods -A -o custom-columns=N:.metadata.name,NODE:.spec.nodeName", plugin: "list pods -A -o custom-columns=N:.metadata.name,NODE:.spec.nodeName"},
		{name: "sorted", kubectl: "kubectl get pods -A --sort-by=.metadata.creationTimestamp", plugin: "list pods -A --sort-by=.metadata.creationTimestamp"},
		{name: "count by label", kubectl: "kubectl get pods -A --no-headers -L app | awk '{print $NF}' | sort | uniq -c", plugin: "list pods -A --count-by metadata.labels.app"},
		{name: "count by image", kubectl: everything + ` | jq -r '.items[].spec.containers[].image' | sort | uniq -c`, plugin: "list pods -A --count-by image"},
	}
}

// narrowed are about some pods: those that the server can select, and others.
func narrowed() []question {
	selected := func(jq string) string {
		return everything + ` | jq -r '.items[] | select(` + jq + `) | .metadata.name'`
	}
	return []question{
		{name: "one node", kubectl: "kubectl get pods -A --field-selector spec.nodeName=%node%", plugin: "list pods -A --by node=%node%"},
		{name: "one node, names", kubectl: "kubectl get pods -A -o name --field-selector spec.nodeName=%node%", plugin: "list pods -A --by node=%node% -o name"},
		{name: "one namespace", kubectl: "kubectl get pods -n %namespace%", plugin: "list pods -A --by namespace=%namespace%"},
		{name: "one namespace, names", kubectl: "kubectl get pods -n %namespace% -o name", plugin: "list pods -A --by namespace=%namespace% -o name"},
		{name: "one name", kubectl: "kubectl get pods -n %namespace% %name%", plugin: "list pods -n %namespace% --by name=%name%"},
		{name: "one label", kubectl: "kubectl get pods -A -l %label%", plugin: "list pods -A --by label=%label%"},
		{name: "one phase", kubectl: "kubectl get pods -A --field-selector status.phase=%phase%", plugin: "list pods -A --by phase=%phase%"},
		{name: "one node, by an expression", kubectl: "kubectl get pods -A -o name --field-selector spec.nodeName=%node%", plugin: "list pods -A -o name --where object.spec.nodeName=='%node%'"},
		{name: "one image", kubectl: selected(`any(.spec.containers[]; .image == "%image%")`), plugin: "list pods -A --by image=%image% -o name"},
	}
}

// queries ask many questions of one cache.
func queries() []question {
	return []question{
		{name: "query, by node", kubectl: "for n in %nodes%; do kubectl get pods -A -o name --field-selector spec.nodeName=$n; done",
			plugin: "query pods -A", each: "--by node=%node% -o name", nodesOrImages: "node"},
		{name: "query, by image", kubectl: everything + ` | jq -r '.items[] | select(any(.spec.containers[]; .image == "%image%")) | .metadata.name'`, times: most,
			plugin: "query pods -A", each: "--by image=%image% -o name", nodesOrImages: "image"},
	}
}

// others are about other types, and about next to nothing.
func others() []question {
	return []question{
		{name: "custom resources, table", kubectl: "kubectl get %custom% -A", plugin: "list %custom% -A"},
		{name: "custom resources, names", kubectl: "kubectl get %custom% -A -o name", plugin: "list %custom% -A -o name"},
		{name: "custom resources, json", kubectl: "kubectl get %custom% -A -o json", plugin: "list %custom% -A -o json"},
		{name: "one small list", kubectl: "kubectl get ns", plugin: "list ns"},
		{name: "start-up", kubectl: "kubectl version --client", plugin: "version"},
	}
}

// chosen reports whether a row is measured, of which only those are asked whose name
// contains a text.
func chosen(name, only string) bool { return strings.Contains(name, only) }

// named are the questions that are chosen.
func named(only string) []question {
	return slices.DeleteFunc(questions(), func(q question) bool { return !chosen(q.name, only) })
}

// ownValues are the values of the cluster that fill fills.
func ownValues(s size) values {
	v := values{
		"namespace": {namespace(0)}, "name": {podName(0)}, "label": {"app=" + appOf(0)}, "phase": {"Succeeded"},
		"custom": {"widgets"},
	}
	for n := range min(s.nodes, most) {
		v["node"] = append(v["node"], fmt.Sprintf("node-%d", n))
	}
	for n := range images {
		v["image"] = append(v["image"], fmt.Sprintf("shop/web:1.%d", n))
	}
	return v
}
