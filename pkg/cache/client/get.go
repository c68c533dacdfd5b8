package client

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// named is what is known of a single named object that we may get, not list.
type named struct {
	// onlyGet is set once a list was forbidden and a get was not.
	onlyGet bool
	// expired is the object's resourceVersion if no watch can start there: an
	// object that has not changed for long is older than the server's history.
	expired string
	// held is the object of the last get; nil where there was none.
	held *cache.Row
}

// mayOnlyGet reports whether a get is worth trying after a list ended with err. A
// get has no selectors.
func (l *listerWatcher) mayOnlyGet(err error) bool {
	t := l.target
	return apierrors.IsForbidden(err) && t.Name != "" && !l.named.onlyGet &&
		t.LabelSelector == "" && t.FieldSelector == ""
}

// get lists a named object by a get. An object that does not exist is an empty
// list. The list's resourceVersion, where a watch is to start, is the object's
// own, or empty: then the watch starts from the present.
func (l *listerWatcher) get(ctx context.Context) (*cache.RowList, error) {
	row, err := l.getRow(ctx)
	if err != nil {
		return nil, err
	}
	l.named.held = row
	if row == nil {
		return &cache.RowList{}, nil
	}
	list := &cache.RowList{Items: []*cache.Row{row}}
	if row.ResourceVersion != l.named.expired {
		list.ResourceVersion = row.ResourceVersion
	}
	return list, nil
}

// getRow gets a named object; nil if it does not exist.
func (l *listerWatcher) getRow(ctx context.Context) (*cache.Row, error) {
	ctx, _ = withExchange(ctx, cache.GetRequest)
	began := time.Now()
	object, err := l.request(l.objects).
		Name(l.target.Name).SubResource(l.subresources()...).Timeout(l.listTimeout).
		Do(ctx).Get()
	// Of a subresource only the server knows what is missing.
	if isObjectMissing(err) && l.target.Subresource == "" {
		return nil, nil
	}
	if err != nil {
		return nil, l.overdue(err, began)
	}
	row, ok := object.(*cache.Row)
	if !ok {
		return nil, fmt.Errorf("the server sent %T where an object was expected", object)
	}
	return row, nil
}

const deletedUnwatched = "the object was deleted before its watch had opened"

// watchGot watches an object that may only be got. A watch from the present begins
// with what is there, and does not report a deletion between the get and the watch: so
// the object is got once more when the watch is open. A deletion before that get is
// found by it; one after it is reported by the open watch.
func (l *listerWatcher) watchGot(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	w, err := l.watch(ctx, options)
	if err != nil || options.ResourceVersion != "" || l.named.held == nil {
		return w, err
	}
	row, err := l.getRow(ctx)
	if err == nil && (row == nil || row.UID != l.named.held.UID) {
		err = apierrors.NewResourceExpired(deletedUnwatched)
	}
	if err != nil {
		w.Stop()
		return nil, err
	}
	return w, nil
}

func (l *listerWatcher) subresources() []string {
	if l.target.Subresource == "" {
		return nil
	}
	return []string{l.target.Subresource}
}

// watched remembers where no watch can start.
func (n *named) watched(resourceVersion string, err error) {
	if n.onlyGet && err != nil && resourceVersion != "" && classify(err) == cache.Expired {
		n.expired = resourceVersion
	}
}

// isObjectMissing distinguishes a missing object from a missing type: for a type,
// servers send no Status, and client-go marks the one it makes.
func isObjectMissing(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}
