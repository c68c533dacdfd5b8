package diff_test

import (
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/printers/diff"
)

func TestNoiseIsNoChangeUnlessAskedFor(t *testing.T) {
	for name, test := range map[string]states{
		"bookkeeping of the API server": {
			old: "metadata: {resourceVersion: '1', generation: 1, managedFields: [{manager: a}]}",
			now: "metadata: {resourceVersion: '2', generation: 2, managedFields: [{manager: b}]}",
			want: []string{`{"path":"metadata.generation","old":1,"new":2}`, `{"path":"metadata.managedFields[0].manager","old":"a","new":"b"}`,
				`{"path":"metadata.resourceVersion","old":"1","new":"2"}`},
		},
		"a node's heartbeat": {
			old:  "{apiVersion: v1, kind: Node, status: {conditions: [{type: Ready, lastHeartbeatTime: a}]}}",
			now:  "{apiVersion: v1, kind: Node, status: {conditions: [{type: Ready, lastHeartbeatTime: b}]}}",
			want: []string{`{"path":"status.conditions[?(@.type==\"Ready\")].lastHeartbeatTime","old":"a","new":"b"}`},
		},
		"a heartbeat among conditions that share a type": {
			old:  "{kind: X, status: {conditions: [{type: A, lastHeartbeatTime: a}, {type: A}]}}",
			now:  "{kind: X, status: {conditions: [{type: A, lastHeartbeatTime: b}, {type: A}]}}",
			want: []string{`{"path":"status.conditions[0].lastHeartbeatTime","old":"a","new":"b"}`},
		},
		"a lease renewed": {
			old:  "{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {renewTime: a}}",
			now:  "{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {renewTime: b}}",
			want: []string{`{"path":"spec.renewTime","old":"a","new":"b"}`},
		},
		"a lease in an annotation renewed": {
			old: `metadata: {annotations: {control-plane.alpha.kubernetes.io/leader: '{"holderIdentity":"x","renewTime":"a"}'}}`,
			now: `metadata: {annotations: {control-plane.alpha.kubernetes.io/leader: '{"holderIdentity":"x","renewTime":"b"}'}}`,
			want: []string{`{"path":"metadata.annotations.control-plane\\.alpha\\.kubernetes\\.io/leader",` +
				`"old":"{\"holderIdentity\":\"x\",\"renewTime\":\"a\"}","new":"{\"holderIdentity\":\"x\",\"renewTime\":\"b\"}"}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			told := test
			told.options = diff.Options{AllChanges: true}
			told.check(t)
			test.want = nil
			test.check(t)
		})
	}
}

func TestANamedFieldIsNoNoise(t *testing.T) {
	lease := states{
		options: diff.Options{Named: []string{"spec", "renewTime"}},
		old:     "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {resourceVersion: '1'}, spec: {renewTime: a}}",
		now:     "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {resourceVersion: '2'}, spec: {renewTime: b}}",
		want:    []string{`{"path":"spec.renewTime","old":"a","new":"b"}`},
	}
	lease.check(t)
	lease.options.Named, lease.want = []string{"spec"}, nil
	lease.check(t)
}

func TestChangesNextToNoiseAreTold(t *testing.T) {
	runAll(t, map[string]states{
		"another leader in the annotation": {
			old:  `metadata: {annotations: {control-plane.alpha.kubernetes.io/leader: '{"holderIdentity":"x"}'}}`,
			now:  `metadata: {annotations: {control-plane.alpha.kubernetes.io/leader: '{"holderIdentity":"y"}'}}`,
			want: []string{`{"path":"metadata.annotations.control-plane\\.alpha\\.kubernetes\\.io/leader","old":"{\"holderIdentity\":\"x\"}","new":"{\"holderIdentity\":\"y\"}"}`},
		},
		"the first leader": {
			old:  `metadata: {name: a}`,
			now:  `metadata: {name: a, annotations: {control-plane.alpha.kubernetes.io/leader: '{"renewTime":"y"}'}}`,
			want: []string{`{"path":"metadata.annotations.control-plane\\.alpha\\.kubernetes\\.io/leader","new":"{\"renewTime\":\"y\"}"}`},
		},
		"an annotation of that name that is no record": {
			old:  `metadata: {annotations: {control-plane.alpha.kubernetes.io/leader: 'null'}}`,
			now:  `metadata: {annotations: {control-plane.alpha.kubernetes.io/leader: '{"renewTime":'}}`,
			want: []string{`{"path":"metadata.annotations.control-plane\\.alpha\\.kubernetes\\.io/leader","old":"null","new":"{\"renewTime\":"}`},
		},
		"another holder of a lease": {
			old:  "{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {renewTime: a, holderIdentity: x}}",
			now:  "{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: {renewTime: b, holderIdentity: z}}",
			want: []string{`{"path":"spec.holderIdentity","old":"x","new":"z"}`},
		},
		"renewTime of what is no lease": {
			old:  "{apiVersion: example.com/v1, kind: Lease, spec: {renewTime: a}}",
			now:  "{apiVersion: example.com/v1, kind: Lease, spec: {renewTime: b}}",
			want: []string{`{"path":"spec.renewTime","old":"a","new":"b"}`},
		},
		"a condition that turned with its heartbeat": {
			old:  "{apiVersion: v1, kind: Node, status: {conditions: [{type: Ready, status: 'True', lastHeartbeatTime: a}]}}",
			now:  "{apiVersion: v1, kind: Node, status: {conditions: [{type: Ready, status: Unknown, lastHeartbeatTime: b}]}}",
			want: []string{`{"path":"status.conditions[?(@.type==\"Ready\")].status","old":"True","new":"Unknown"}`},
		},
		"the generation that a controller has seen": {
			old:  "status: {observedGeneration: 1, conditions: [{type: A, observedGeneration: 1, lastProbeTime: a}]}",
			now:  "status: {observedGeneration: 2, conditions: [{type: A, observedGeneration: 2, lastProbeTime: b}]}",
			want: []string{`{"path":"status.conditions[?(@.type==\"A\")].lastProbeTime","old":"a","new":"b"}`, `{"path":"status.conditions[?(@.type==\"A\")].observedGeneration","old":1,"new":2}`, `{"path":"status.observedGeneration","old":1,"new":2}`},
		},
		"a heartbeat of what are no conditions": {
			old:  "status: {conditions: {a: {lastHeartbeatTime: a}}}",
			now:  "status: {conditions: {a: {lastHeartbeatTime: b}}}",
			want: []string{`{"path":"status.conditions.a.lastHeartbeatTime","old":"a","new":"b"}`},
		},
		"a field called generation elsewhere": {
			old:  "spec: {generation: 1}",
			now:  "spec: {generation: 2}",
			want: []string{`{"path":"spec.generation","old":1,"new":2}`},
		},
	})
}
