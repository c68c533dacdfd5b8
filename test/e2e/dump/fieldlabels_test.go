package dump

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// labels are the field labels that the API server knows for some type, and one
// that it knows for none. metadata.namespace is left out: the server knows it for
// all but a few types, some of which have namespaces and some do not.
const labels = `metadata.name spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName
	spec.hostNetwork spec.host spec.unschedulable spec.clusterIP spec.type spec.signerName spec.podName spec.driver spec.pool.name
	status.phase status.podIP status.podIPs status.nominatedNodeName status.replicas status.successful type reason source
	reportingComponent reportingController involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid
	involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath regarding.kind regarding.namespace
	regarding.name regarding.uid regarding.apiVersion regarding.resourceVersion regarding.fieldPath spec.nothing`

func TestADumpKnowsTheFieldLabelsThatTheServerKnows(t *testing.T) {
	for _, group := range fixture.types.Items {
		for _, version := range group.Versions {
			for _, resource := range version.Resources {
				path := "/apis/" + group.Name + "/" + version.Version + "/" + resource.Resource
				if group.Name == "" {
					path = "/api/" + version.Version + "/" + resource.Resource
				}
				for _, label := range strings.Fields(labels) {
					known := serverKnows(t, path, label)
					argument := resource.Resource + "." + version.Version + "." + group.Name
					_, stderr := list(t, "", argument, "--field-selector", label+"=x", "--ignore-not-found")
					if knows := !strings.Contains(stderr, "field label not supported"); knows != known {
						t.Errorf("%s %s: the server knows it: %v, the dump: %v %s", argument, label, known, knows, stderr)
					}
				}
			}
		}
	}
}

func serverKnows(t *testing.T, path, label string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), requestTimeout)
	defer cancel()
	_, err := fixture.client.RESTClient().Get().AbsPath(path).Param("fieldSelector", label+"=x").Do(ctx).Raw()
	if err != nil && !apierrors.IsBadRequest(err) {
		t.Fatalf("%s: %v", path, err)
	}
	return err == nil
}
