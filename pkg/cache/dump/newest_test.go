package dump

import (
	"testing"
	"time"
)

func TestTheNewestTimeOfADumpIsOneThatHadCome(t *testing.T) {
	for text, want := range map[string]string{
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":"2024-05-01T10:00:00Z"}}`:                                                                                      "2024-05-01T10:00:00Z",
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a", "creationTimestamp" : "2024-05-01T10:00:00Z", "deletionTimestamp":"2030-01-01T00:00:00Z"}}`:                                       "2024-05-01T10:00:00Z",
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","annotations":{"x":"{\"creationTimestamp\":\"2030-01-01T00:00:00Z\"}"}}}`:                                                          "",
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":null,"labels":{"z":"Z"}},"spec":{"x":["Z","2030-01-01T00:00:00Z"]}}`:                                           "",
		`{"apiVersion":"example.com/v1","kind":"C","metadata":{"name":"a","creationTimestamp":"2024-05-01T10:00:00Z"},"status":{"notAfter":"2030-01-01T00:00:00Z"}}`:                               "2024-05-01T10:00:00Z",
		`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"a","namespace":"b"},"spec":{"renewTime":"2024-05-01T10:00:00.123456Z"}}`:                                        "2024-05-01T10:00:00.123456Z",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a, creationTimestamp: \"2024-05-01T10:00:00Z\"}\nstatus:\n  conditions:\n  - lastTransitionTime: 2024-05-02T10:00:00Z":                        "2024-05-02T10:00:00Z",
		`{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","creationTimestamp":"2024-05-01T10:00:00Z"}},{"metadata":{"name":"b","creationTimestamp":"2023-05-01T10:00:00Z"}}]}`: "2024-05-01T10:00:00Z",
	} {
		got := ""
		if newest := mustRead(t, text).NewestTime(); !newest.IsZero() {
			got = newest.UTC().Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
