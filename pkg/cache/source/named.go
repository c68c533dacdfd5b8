package source

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// named is what is known of a single named object that we may get, not list.
type named struct {
	// onlyGet is set once a list was forbidden and a get was not.
	onlyGet bool
	// expired is the object's resourceVersion if no watch can start there: an
	// object that has not changed for long is older than the server's history.
	expired string
}

// mayOnlyGet says whether a get is worth trying after a list ended with err. A
// get knows no selectors.
func (r *resource) mayOnlyGet(err error) bool {
	t := r.target
	return apierrors.IsForbidden(err) && t.Name != "" && !r.named.onlyGet &&
		t.LabelSelector == "" && t.FieldSelector == ""
}

// get lists a named object by a get. An object that does not exist is an empty
// list. The list's resourceVersion, where a watch is to start, is the object's
// own, or empty: then the watch starts from the present.
func (r *resource) get(ctx context.Context) (*cache.RowList, error) {
	ctx, _ = withExchange(ctx, &r.counters.gets)
	began := time.Now()
	object, err := r.request(r.objects).
		Name(r.target.Name).SubResource(r.subresources()...).Timeout(r.listTimeout).
		Do(ctx).Get()
	// Of a subresource only the server can say what is missing.
	if isObjectMissing(err) && r.target.Subresource == "" {
		return &cache.RowList{}, nil
	}
	if err != nil {
		return nil, r.overdue(err, began)
	}
	row, ok := object.(*cache.Row)
	if !ok {
		return nil, errNoObject
	}
	list := &cache.RowList{Items: []*cache.Row{row}}
	if row.ResourceVersion != r.named.expired {
		list.ResourceVersion = row.ResourceVersion
	}
	return list, nil
}

func (r *resource) subresources() []string {
	if r.target.Subresource == "" {
		return nil
	}
	return []string{r.target.Subresource}
}

// watched remembers where no watch can start.
func (n *named) watched(resourceVersion string, err error) {
	if n.onlyGet && classify(err) == cache.Expired {
		n.expired = resourceVersion
	}
}

// isObjectMissing tells a missing object from a missing type: of a type, servers
// send no Status, and client-go marks the one it makes.
func isObjectMissing(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
