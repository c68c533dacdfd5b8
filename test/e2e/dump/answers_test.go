package dump

import (
	"strings"
	"testing"
)

// definition is a type whose columns and selectable fields the dump has to know.
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.dump.example.com}
spec:
  group: dump.example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget, shortNames: [gdt]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {color: {type: string}, size: {type: integer}, ok: {type: boolean}, tags: {type: array, items: {type: string}}}
    additionalPrinterColumns:
    - {name: Color, type: string, jsonPath: .spec.color}
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Tags, type: string, jsonPath: '.spec.tags[*]', priority: 1}
    - {name: OK, type: boolean, jsonPath: .spec.ok, priority: 1}
    selectableFields:
    - {jsonPath: .spec.color}
`

const objects = `apiVersion: dump.example.com/v1
kind: Gadget
metadata: {name: lamp, namespace: default, labels: {room: hall}}
spec: {color: red, size: 9007199254740993, tags: [a, b], ok: true}
---
apiVersion: dump.example.com/v1
kind: Gadget
metadata: {name: clock, namespace: kube-system, annotations: {note: "a <b>\n\u001b[31m & 'c'"}}
spec: {}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, labels: {app: web}}
spec: {nodeName: n1, hostNetwork: true, containers: [{name: web, image: nginx, resources: {limits: {cpu: 500m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: kube-system}
spec: {containers: [{name: db, image: postgres}]}
---
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: default}
type: example.com/token
data: {a: AAEC}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: default}
spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: once, image: busybox}]}}}
`

func TestADumpAnswersAsTheClusterThatItWasTakenOf(t *testing.T) {
	kubectl(t, definition, "apply", "-f", "-")
	kubectl(t, "", "wait", "--for=condition=Established", "crd/gadgets.dump.example.com")
	kubectl(t, objects, "apply", "--server-side", "-f", "-")
	const types = "gadgets,pods,secrets,jobs"
	dumps := map[string]string{}
	for _, format := range []string{"json", "yaml", "kyaml"} {
		of := func(resource string) string {
			return kubectl(t, "", "get", resource, "-A", "-o", format, "--show-managed-fields")
		}
		dumps[format] = of("crd") + "\n---\n" + of(types)
	}
	questions := []string{
		types + " -A -o json", types + " -A -o yaml", types + " -A -o kyaml", types + " -A -o name",
		types + " -A -o yaml --show-managed-fields", "gadgets -A", "gadgets -A -o wide", "gdt -n default", "gadget -A --no-headers --show-labels",
		"gadgets -n default lamp -o json", "gadgets.v1.dump.example.com/clock -n kube-system -o yaml",
		"gadgets -A --sort-by .metadata.uid -o name", "pods -A -l app=web -o name", "pods -A -l !app -o name",
		"pods -A -o custom-columns=N:.metadata.name,I:.spec.containers[*].image", "pods -A -o jsonpath={.items[*].metadata.uid}",
		"gadgets -A --field-selector spec.color=red -o name", "gadgets -A --field-selector spec.color= -o name",
		"pods -A --field-selector spec.nodeName=n1 -o name", "pods -A --field-selector spec.nodeName= -o name",
		"pods -A --field-selector spec.hostNetwork=false -o name", "pods -A --field-selector status.phase!=Running,metadata.namespace=default -o name",
		"secrets -A --field-selector type=example.com/token -o name", "jobs -A --field-selector status.successful=0 -o name",
	}
	for _, question := range questions {
		words := strings.Fields(question)
		want := kubectl(t, "", append([]string{"get"}, words...)...)
		for format, dump := range dumps {
			if got, stderr := list(t, dump, words...); got != want || stderr != "" {
				t.Errorf("%s, of a dump in %s: stderr %q, got\n%s\nwant\n%s", question, format, stderr, got, want)
			}
		}
	}
}
