package index

import (
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestQuantitiesAreComparedByValueWhereKubernetesKeepsThem(t *testing.T) {
	row := rowOf(t, `
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {limits: 1000m}}
spec:
  containers:
  - {name: a, resources: {requests: {cpu: 1000m, memory: 1Gi, example.com/gpu: 2}, limits: {cpu: unlimited}}}
  - {name: b, resources: {requests: {cpu: "1", memory: "1073741824"}}}
  overhead: {cpu: 250m}
  volumes: [{name: v, emptyDir: {sizeLimit: 1024Mi}}]
  version: "1.0"
  storage: {class: "1.0"}
`)
	for _, tc := range []struct {
		by   string
		want bool
	}{
		{"spec.containers[*].resources.requests.cpu=1", true},
		{"spec.containers[*].resources.requests.cpu=1000m", true},
		{"spec.containers[*].resources.requests.cpu=1.0", true},
		{"spec.containers[*].resources.requests.cpu=2", false},
		{"spec.containers[*].resources.requests.memory=1024Mi", true},
		{`spec.containers[*].resources.requests.example\.com/gpu=2`, true},
		{`spec.containers[?(@.name=="b")].resources.requests.memory=1Gi`, true},
		{"spec.containers[*].resources.limits.cpu=unlimited", true},
		{"spec.overhead.cpu=0.25", true},
		{"spec.volumes[*].emptyDir.sizeLimit=1Gi", true},
		{"spec.containers[*].resources.requests.cpu!=1000m", false},
		// Elsewhere a text is a text, whatever it looks like.
		{"spec.version=1", false},
		{"spec.version=1.0", true},
		{"spec.storage.class=1", false},
		{"spec.storage.class=1.0", true},
		{"metadata.labels.limits=1", true},
		{"label=limits=1", false},
	} {
		b := mustBind(t, targetFor(row), tc.by)
		if got := b.Match(row); got != tc.want {
			t.Errorf("%s: %v", tc.by, got)
		}
	}
	d := mustLookup(t, targetFor(row), "spec.containers[*].resources.requests.memory")
	counts := CountRows([]*cache.Row{row}, d)
	if len(counts) != 1 || counts[0] != (Count{Value: "1Gi", Objects: 1}) {
		t.Errorf("two spellings count as %v", counts)
	}
}
