package index

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestCanonicalQuantity(t *testing.T) {
	for spelled, want := range map[string]string{
		"1": "1", "1000m": "1", "1.0": "1", "+1": "1", "01": "1", "1e0": "1", "0.001k": "1",
		"500m": "500m", "0.5": "500m", "5e-1": "500m", "-1500m": "-1500m", "0": "0", "0m": "0",
		"1Gi": "1Gi", "1073741824": "1Gi", "1024Mi": "1Gi", "1.5Gi": "1536Mi", "2Ki": "2Ki", "2048": "2Ki",
		"2k": "2k", "2000": "2k", "2e3": "2k", "16": "16", "1G": "1G",
		"9e30": "9e30", "9000e27": "9e30", "9000000000e21": "9e30",
		// What is no quantity, or too strange to be parsed, is left alone.
		"": "", "one": "one", "1.2.3": "1.2.3", "nginx:1": "nginx:1", "1 Gi": "1 Gi",
		"1e999999999": "1e999999999", "1E-99999": "1E-99999",
		"11111111111111111111111111111111111111111": "11111111111111111111111111111111111111111",
	} {
		if got := canonicalQuantity(spelled); got != want {
			t.Errorf("%q is %q, want %q", spelled, got, want)
		}
	}
}

// The rule must never make two texts equal that are not the same quantity.
func FuzzQuantitiesAreEqualOnlyByValue(f *testing.F) {
	for _, pair := range [][2]string{
		{"1", "1000m"}, {"1Gi", "1073741824"}, {"9", "9e30"}, {"1e21", "1"}, {"0.1n", "1n"}, {"1.0", "v1.0"}, {"5", "5 "},
		{"1Ei", "1E"}, {"8Ei", "9Ei"}, {"1e27", "1000e24"}, {"-0", "0"}, {"1e999999", "1e999998"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		canonicalA, canonicalB := canonicalQuantity(a), canonicalQuantity(b)
		if again := canonicalQuantity(canonicalA); again != canonicalA {
			t.Errorf("%q is %q, which is %q", a, canonicalA, again)
		}
		if canonicalA != canonicalB || a == b {
			return
		}
		quantityA, errA := resource.ParseQuantity(a)
		quantityB, errB := resource.ParseQuantity(b)
		if errA != nil || errB != nil || quantityA.Cmp(quantityB) != 0 {
			t.Errorf("%q and %q are both %q", a, b, canonicalA)
		}
	})
}

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
