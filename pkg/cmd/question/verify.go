package question

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/informer"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/verify"
)

// Verifiers are what compares the cache of each subject with the server, by another
// list of metadata.
func (q *Question) Verifiers() ([]*verify.Lister, error) {
	clientOf := q.clients()
	listers := make([]*verify.Lister, len(q.Subjects))
	for n, subject := range q.Subjects {
		client, err := clientOf(subject.Target)
		if err != nil {
			return nil, err
		}
		source, err := client.ListerWatcher(subject.Target, cache.Metadata, false)
		if err != nil {
			return nil, err
		}
		listers[n] = &verify.Lister{Target: subject.Target, PageSize: q.pageSize,
			Page: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
				return source.ListWithContext(ctx, options)
			}}
	}
	return listers, nil
}

// Verify compares caches that have been listed, and are not watched, with the server.
// Of a Target that could not be read there is nothing to compare.
func (q *Question) Verify(ctx context.Context, group *informer.Group) error {
	listers, err := q.Verifiers()
	if err != nil {
		return err
	}
	var errs []error
	for n, i := range group.Informers() {
		if i.Failure() == nil {
			errs = append(errs, listers[n].Once(ctx, i.Rows(nil), i.LastSyncResourceVersion()))
		}
	}
	return errors.Join(errs...)
}
