package tables

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A test of test/e2e/dump compares all types with a server; what is here is of
// manifests, and of what a server of the present version never says.
func TestAManifestIsPrintedAsAServerWouldTakeIt(t *testing.T) {
	for _, test := range []struct{ version, kind, object, want string }{
		{"apps/v1", "Deployment", `{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"b"}]}}}}`, "[a 0/1 0 0 5m a b ]"},
		{"apps/v1", "StatefulSet", `{"spec":{"replicas":0}}`, "[a 0/0 5m  ]"},
		{"apps/v1", "ReplicaSet", `{}`, "[a 1 0 0 5m   <none>]"},
		{"v1", "ReplicationController", `{"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}}`, "[a 1 0 0 5m   x=y]"},
		{"v1", "ReplicationController", `{}`, "[a 1 0 0 5m   <none>]"},
		{"v1", "Service", `{"spec":{"clusterIP":"None","ports":[{"port":80}]}}`, "[a ClusterIP None <none> 80/TCP 5m <none>]"},
		{"v1", "Secret", `{"data":{"x":"AA=="},"stringData":{"x":"1","y":"2"}}`, "[a Opaque 2 5m]"},
		{"v1", "Namespace", `{}`, "[a Active 5m]"},
		{"v1", "PersistentVolumeClaim", `{}`, "[a Pending     <unset> 5m Filesystem]"},
		{"v1", "PersistentVolume", `{}`, "[a 0  Retain Pending   <unset>  5m Filesystem]"},
		{"v1", "Pod", `{"status":{"podIP":"10.0.0.1"}}`, "[a 0/0 Pending 0 5m 10.0.0.1 <none> <none> <none>]"},
		{"batch/v1", "Job", `{}`, "[a Running 0/1  5m   <none>]"},
		{"batch/v1", "CronJob", `{"spec":{"schedule":"@daily"}}`, "[a @daily <none> False 0 <none> 5m   <none>]"},
		{"autoscaling/v2", "HorizontalPodAutoscaler", `{"spec":{"maxReplicas":3}}`, "[a / cpu: <unknown>/80% 1 3 0 5m]"},
		{
			"autoscaling/v1", "HorizontalPodAutoscaler", `{"spec":{"maxReplicas":3,"targetCPUUtilizationPercentage":50},"status":{"currentCPUUtilizationPercentage":40}}`,
			"[a / cpu: 40%/50% 1 3 0 5m]",
		},
		{"storage.k8s.io/v1", "CSIDriver", `{}`, "[a true false false <unset> false Persistent 5m]"},
		{"v1", "LimitRange", `{}`, "[a 2024-05-01T10:00:00Z]"},
	} {
		object := `{"metadata":{"name":"a","creationTimestamp":"2024-05-01T10:00:00Z"},` + test.object[1:]
		if test.object == "{}" {
			object = `{"metadata":{"name":"a","creationTimestamp":"2024-05-01T10:00:00Z"}}`
		}
		g := For(schema.FromAPIVersionAndKind(test.version, test.kind))
		rows := g.Rows([][]byte{[]byte(object)}, Question{Now: time.Date(2024, 5, 1, 10, 5, 0, 0, time.UTC)})
		if got := fmt.Sprint(rows[0]); got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.kind, test.object, got, test.want)
		}
	}
}

func TestAnObjectThatIsNoneOfItsTypeHasNoCells(t *testing.T) {
	for kind, g := range all() {
		rows := g.Rows([][]byte{[]byte(`{"metadata":7}`), []byte(`{}`)}, Question{})
		if rows[0] != nil || len(rows[1]) < len(g.Columns) {
			t.Errorf("%v: got %v", kind, rows)
		}
	}
}
