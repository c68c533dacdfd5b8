package diff_test

import (
	"fmt"
	"testing"
)

// deployment is a Deployment with that pod spec.
func deployment(podSpec string) string {
	return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: %s}}}", podSpec)
}

func pod(spec, status string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Pod, spec: %s, status: %s}", spec, status)
}

func service(ports string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Service, spec: {ports: %s}}", ports)
}

func widget(spec string) string {
	return fmt.Sprintf("{apiVersion: example.com/v1, kind: Widget, spec: %s}", spec)
}

const podSpec = "spec.template.spec."

func TestItemsOfBuiltInTypesAreMatchedByTheirKeys(t *testing.T) {
	runAll(t, map[string]states{
		"a sidecar in front changes no other container": {
			old:  deployment("{containers: [{name: web, image: 'nginx:1.26'}]}"),
			now:  deployment("{containers: [{name: proxy, image: envoy}, {name: web, image: 'nginx:1.27'}]}"),
			want: []string{`{"path":"` + podSpec + `containers[?(@.name==\"proxy\")]","new":{"image":"envoy","name":"proxy"}}`, `{"path":"` + podSpec + `containers[?(@.name==\"web\")].image","old":"nginx:1.26","new":"nginx:1.27"}`},
		},
		"environment by name": {
			old:  deployment("{containers: [{name: web, env: [{name: A, value: a}, {name: B, value: b}]}]}"),
			now:  deployment("{containers: [{name: web, env: [{name: B, value: c}]}]}"),
			want: []string{`{"path":"` + podSpec + `containers[?(@.name==\"web\")].env[?(@.name==\"A\")]","old":{"name":"A","value":"a"}}`, `{"path":"` + podSpec + `containers[?(@.name==\"web\")].env[?(@.name==\"B\")].value","old":"b","new":"c"}`},
		},
		"container ports by port, though names differ": {
			old:  deployment("{containers: [{name: web, ports: [{containerPort: 80, protocol: TCP, name: a}, {containerPort: 81, protocol: TCP, name: b}]}]}"),
			now:  deployment("{containers: [{name: web, ports: [{containerPort: 80, protocol: TCP, name: c}, {containerPort: 81, protocol: TCP, name: b}]}]}"),
			want: []string{`{"path":"` + podSpec + `containers[?(@.name==\"web\")].ports[?(@.containerPort==80)].name","old":"a","new":"c"}`},
		},
		"mounts by their path, though they share a volume": {
			old:  deployment("{containers: [{name: web, volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /b}]}]}"),
			now:  deployment("{containers: [{name: web, volumeMounts: [{name: v, mountPath: /b, readOnly: true}, {name: v, mountPath: /c}]}]}"),
			want: []string{`{"path":"` + podSpec + `containers[?(@.name==\"web\")].volumeMounts[?(@.mountPath==\"/a\")]","old":{"mountPath":"/a","name":"v"}}`, `{"path":"` + podSpec + `containers[?(@.name==\"web\")].volumeMounts[?(@.mountPath==\"/b\")].readOnly","new":true}`, `{"path":"` + podSpec + `containers[?(@.name==\"web\")].volumeMounts[?(@.mountPath==\"/c\")]","new":{"mountPath":"/c","name":"v"}}`},
		},
		"volumes by name": {
			old:  deployment("{volumes: [{name: a, emptyDir: {}}, {name: b, configMap: {name: x}}]}"),
			now:  deployment("{volumes: [{name: b, configMap: {name: z}}]}"),
			want: []string{`{"path":"` + podSpec + `volumes[?(@.name==\"a\")]","old":{"emptyDir":{},"name":"a"}}`, `{"path":"` + podSpec + `volumes[?(@.name==\"b\")].configMap.name","old":"x","new":"z"}`},
		},
		"the first volume comes as a later one does": {
			old:  deployment("{hostNetwork: true}"),
			now:  deployment("{hostNetwork: true, volumes: [{name: a, emptyDir: {}}]}"),
			want: []string{`{"path":"` + podSpec + `volumes[?(@.name==\"a\")]","new":{"emptyDir":{},"name":"a"}}`},
		},
		"Service ports by port": {
			old:  service("[{port: 80, protocol: TCP, targetPort: 80}, {port: 443, protocol: TCP, targetPort: 443}]"),
			now:  service("[{port: 443, protocol: TCP, targetPort: 8443}]"),
			want: []string{`{"path":"spec.ports[?(@.port==443)].targetPort","old":443,"new":8443}`, `{"path":"spec.ports[?(@.port==80)]","old":{"port":80,"protocol":"TCP","targetPort":80}}`},
		},
		"one port under two protocols is two Service ports": {
			old:  service("[{port: 53, protocol: TCP, nodePort: 1}, {port: 53, protocol: UDP, nodePort: 2}]"),
			now:  service("[{port: 53, protocol: TCP, nodePort: 1}, {port: 53, protocol: UDP, nodePort: 3}]"),
			want: []string{`{"path":"spec.ports[?(@.protocol==\"UDP\")].nodePort","old":2,"new":3}`},
		},
		"where it takes two keys the path has an index": {
			old:  service("[{port: 53, protocol: TCP, nodePort: 1}, {port: 53, protocol: UDP, nodePort: 2}, {port: 80, protocol: TCP}]"),
			now:  service("[{port: 53, protocol: UDP, nodePort: 3}, {port: 80, protocol: TCP}]"),
			want: []string{`{"path":"spec.ports[0]","old":{"nodePort":1,"port":53,"protocol":"TCP"}}`, `{"path":"spec.ports[0].nodePort","old":2,"new":3}`},
		},
		"conditions by type": {
			old:  pod("{}", "{conditions: [{type: Ready, status: 'False'}, {type: Initialized, status: 'True'}]}"),
			now:  pod("{}", "{conditions: [{type: Ready, status: 'True'}]}"),
			want: []string{`{"path":"status.conditions[?(@.type==\"Initialized\")]","old":{"status":"True","type":"Initialized"}}`, `{"path":"status.conditions[?(@.type==\"Ready\")].status","old":"False","new":"True"}`},
		},
		"container statuses by name, though their list is atomic": {
			old:  pod("{}", "{containerStatuses: [{name: b, restartCount: 0}]}"),
			now:  pod("{}", "{containerStatuses: [{name: a, restartCount: 0}, {name: b, restartCount: 1}]}"),
			want: []string{`{"path":"status.containerStatuses[?(@.name==\"a\")]","new":{"name":"a","restartCount":0}}`, `{"path":"status.containerStatuses[?(@.name==\"b\")].restartCount","old":0,"new":1}`},
		},
		"a change of order is a change": {
			old:  pod("{containers: [{name: a}, {name: b}]}", "{}"),
			now:  pod("{containers: [{name: b}, {name: a}]}", "{}"),
			want: []string{`{"path":"spec.containers","old":[{"name":"a"},{"name":"b"}],"new":[{"name":"b"},{"name":"a"}]}`},
		},
		"what goes in between changes no order": {
			old:  pod("{containers: [{name: a}, {name: b}, {name: c}]}", "{}"),
			now:  pod("{containers: [{name: a}, {name: c}]}", "{}"),
			want: []string{`{"path":"spec.containers[?(@.name==\"b\")]","old":{"name":"b"}}`},
		},
	})
}

func TestOwnersAreMatchedByUIDInAnyType(t *testing.T) {
	const object = "{apiVersion: %s, kind: %s, metadata: {ownerReferences: [{kind: A, name: x, uid: '1'%s}, {kind: B, name: z, uid: '2'}]}}"
	for _, kind := range [][2]string{{"v1", "Pod"}, {"example.com/v1", "Widget"}} {
		states{
			old:  fmt.Sprintf(object, kind[0], kind[1], ""),
			now:  fmt.Sprintf(object, kind[0], kind[1], ", controller: true"),
			want: []string{`{"path":"metadata.ownerReferences[?(@.uid==\"1\")].controller","new":true}`},
		}.check(t)
	}
}

func TestItemsOfCustomResourcesAreMatchedByWhatTellsThemApart(t *testing.T) {
	tests := map[string]states{
		"an integer may name an item": {
			old:  widget("{list: [{id: 1, x: a}, {id: 2, x: b}]}"),
			now:  widget("{list: [{id: 2, x: c}]}"),
			want: []string{`{"path":"spec.list[?(@.id==1)]","old":{"id":1,"x":"a"}}`, `{"path":"spec.list[?(@.id==2)].x","old":"b","new":"c"}`},
		},
		"names that items share tell nothing": {
			old:  widget("{list: [{name: a, type: x, i: 1}, {name: a, type: z, i: 1}]}"),
			now:  widget("{list: [{name: a, type: z, i: 2}]}"),
			want: []string{`{"path":"spec.list[?(@.type==\"x\")]","old":{"i":1,"name":"a","type":"x"}}`, `{"path":"spec.list[?(@.type==\"z\")].i","old":1,"new":2}`},
		},
		"a key that one item lacks tells nothing": {
			old:  widget("{list: [{name: a, i: 1}, {i: 1}]}"),
			now:  widget("{list: [{name: a, i: 1}, {i: 2}]}"),
			want: []string{`{"path":"spec.list[1].i","old":1,"new":2}`},
		},
		"a map is no name": {
			old:  widget("{list: [{name: {a: 1}, i: 1}]}"),
			now:  widget("{list: [{name: {a: 1}, i: 2}]}"),
			want: []string{`{"path":"spec.list[0].i","old":1,"new":2}`},
		},
		"text and numbers that name items cannot be told apart by one filter": {
			old:  widget("{list: [{name: 1, i: 1}, {name: '1', i: 1}]}"),
			now:  widget("{list: [{name: 1, i: 1}, {name: '1', i: 2}]}"),
			want: []string{`{"path":"spec.list[1].i","old":1,"new":2}`},
		},
		"by position, what goes in front changes nothing behind": {
			old:  widget("{rules: [{a: 1}, {a: 2}, {a: 3}]}"),
			now:  widget("{rules: [{a: 2}, {a: 3}]}"),
			want: []string{`{"path":"spec.rules[0]","old":{"a":1}}`},
		},
		"by position, what comes at the end": {
			old:  widget("{rules: [{a: 1}, {a: 1}]}"),
			now:  widget("{rules: [{a: 1}, {a: 1}, {a: 1}]}"),
			want: []string{`{"path":"spec.rules[2]","new":{"a":1}}`},
		},
		"by position, one changed in the middle": {
			old:  widget("{rules: [{a: 1}, {a: 2}, {a: 3}]}"),
			now:  widget("{rules: [{a: 1}, {a: 9}, {a: 3}]}"),
			want: []string{`{"path":"spec.rules[1].a","old":2,"new":9}`},
		},
	}
	for _, key := range []string{"name", "key", "type", "id", "uid"} {
		tests["by "+key] = states{
			old:  widget(fmt.Sprintf("{list: [{%s: a, x: 1}, {%s: b, x: 1}]}", key, key)),
			now:  widget(fmt.Sprintf("{list: [{%s: b, x: 2}, {%s: c, x: 1}]}", key, key)),
			want: []string{fmt.Sprintf(`{"path":"spec.list[?(@.%s==\"a\")]","old":{"%s":"a","x":1}}`, key, key), fmt.Sprintf(`{"path":"spec.list[?(@.%s==\"b\")].x","old":1,"new":2}`, key), fmt.Sprintf(`{"path":"spec.list[?(@.%s==\"c\")]","new":{"%s":"c","x":1}}`, key, key)},
		}
	}
	runAll(t, tests)
}

func TestTolerationsThatShareAKeyAreMatchedByPosition(t *testing.T) {
	states{
		old:  pod("{tolerations: [{key: a, effect: NoExecute}, {key: a, effect: NoSchedule, operator: Exists}]}", "{}"),
		now:  pod("{tolerations: [{key: a, effect: NoExecute}, {key: a, effect: NoSchedule, operator: Equal}]}", "{}"),
		want: []string{`{"path":"spec.tolerations[1].operator","old":"Exists","new":"Equal"}`},
	}.check(t)
}
