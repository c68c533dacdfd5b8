package cluster

import (
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rights asks the server what each user may do.
func rights(t *testing.T, c *Cluster) {
	type may struct {
		user, verb, resource, namespace, name string
		want                                  bool
	}
	for _, m := range []may{
		{Admin, "delete", "nodes", "", "", true},
		{Admin, "watch", "secrets", "", "", true},
		{Viewer, "watch", "pods", "", "", true},
		{Viewer, "list", "configmaps", "shop", "", true},
		{Viewer, "list", "secrets", "shop", "", false},
		{Viewer, "list", "nodes", "", "", false},
		{Viewer, "delete", "pods", "shop", "", false},
		{Dev, "watch", "pods", "dev", "", true},
		{Dev, "list", "secrets", "dev", "", true},
		{Dev, "create", "pods", "dev", "", false},
		{Dev, "list", "pods", "shop", "", false},
		{Dev, "list", "pods", "", "", false},
		{Dev, "list", "nodes", "", "", false},
		{One, "get", "configmaps", "dev", "settings", true},
		{One, "watch", "configmaps", "dev", "settings", true},
		{One, "get", "configmaps", "dev", "other", false},
		{One, "list", "configmaps", "dev", "", false},
		{Lister, "list", "pods", "", "", true},
		{Lister, "get", "pods", "shop", "x", true},
		{Lister, "watch", "pods", "", "", false},
		{Lister, "list", "configmaps", "", "", false},
		{Nobody, "list", "pods", "default", "", false},
		{Nobody, "get", "configmaps", "dev", "settings", false},
	} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Verb: m.verb, Resource: m.resource, Namespace: m.namespace, Name: m.name,
			},
		}}
		got, err := clientFor(t, c, m.user).AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Status.Allowed != m.want {
			t.Errorf("%s may %s %s %q in %q: got %v, want %v", m.user, m.verb, m.resource, m.name, m.namespace, got.Status.Allowed, m.want)
		}
	}
	namedObjectCanBeListed(t, c)
}

// namedObjectCanBeListed makes the request that an informer makes for a single
// object, by a user who has rights to that one only.
func namedObjectCanBeListed(t *testing.T, c *Cluster) {
	client := clientFor(t, c, One).CoreV1().ConfigMaps("dev")
	list, err := client.List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=settings"})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("got %d objects, %v; want one", len(list.Items), err)
	}
	if _, err := client.List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("without the selector: got %v, want forbidden", err)
	}
}
