package fieldpath

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
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
		if got := CanonicalQuantity(spelled); got != want {
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
		canonicalA, canonicalB := CanonicalQuantity(a), CanonicalQuantity(b)
		if again := CanonicalQuantity(canonicalA); again != canonicalA {
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
