package dump

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump/tables"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/guard"
)

// ListerWatcher lists the objects of a Target, as *cache.Row in the form asked
// for, all in one page, and then watches without any event. A selector that
// cannot be applied is Invalid. Ages in cells are those at the time now.
func (d *Dump) ListerWatcher(t cache.Target, r cache.Representation, now time.Time) guard.Source {
	return &listerWatcher{dump: d, target: t, form: r, now: now}
}

type listerWatcher struct {
	dump   *Dump
	target cache.Target
	form   cache.Representation
	now    time.Time
}

// ListWithContext returns all rows at once: the options ask for pages of them
// and for versions, of which there is one.
func (l *listerWatcher) ListWithContext(context.Context, metav1.ListOptions) (runtime.Object, error) {
	list, err := l.list()
	if err != nil {
		return nil, err
	}
	return list, nil
}

// WatchWithContext opens a watch without events: a dump does not change.
func (l *listerWatcher) WatchWithContext(context.Context, metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(make(chan watch.Event)), nil
}

// Diagnose finds the question wrong: a dump has no other faults.
func (l *listerWatcher) Diagnose(error) guard.Diagnosis {
	return guard.Diagnosis{Fault: cache.Invalid, Authoritative: true}
}

// Reached says that a dump has been read.
func (l *listerWatcher) Reached() bool { return true }

// Served says that a type that was found in a dump stays in it.
func (l *listerWatcher) Served(context.Context) (bool, error) { return true, nil }

// LatestResourceVersion is empty: what the objects have are versions of a server.
func (l *listerWatcher) LatestResourceVersion(context.Context) (string, error) { return "", nil }

func (l *listerWatcher) list() (*cache.RowList, error) {
	byLabels, err := labels.Parse(l.target.LabelSelector)
	if err != nil {
		return nil, err
	}
	version := versionOf(l.dump.definitions, l.target.Kind)
	byFields, err := newFieldSelector(l.target, version)
	if err != nil {
		return nil, err
	}
	list := &cache.RowList{}
	var listed []*object
	for _, object := range l.dump.objects[l.target.Kind] {
		if !l.isInTarget(object) || !byFields.matches(object) {
			continue
		}
		row := l.row(object)
		if !byLabels.Matches(labels.Set(row.Labels)) {
			continue
		}
		list.Items, listed = append(list.Items, row), append(listed, object)
	}
	// Without cells (--server-print=false) ages count from the same time.
	columns := plainColumns()
	if l.form.Has(cache.Cells) {
		columns = generatorOf(l.target.Kind, version)
	}
	columns.fill(list.Items, listed, tables.Question{Now: l.now, Named: l.target.Name != ""})
	return list, nil
}

func (l *listerWatcher) isInTarget(o *object) bool {
	return (l.target.Namespace == "" || l.target.Namespace == o.namespace) &&
		(l.target.Name == "" || l.target.Name == o.name)
}

// row makes a row of an object, without cells.
func (l *listerWatcher) row(o *object) *cache.Row {
	managedFields := l.form.Has(cache.ManagedFields)
	row := &cache.Row{ObjectMeta: o.metadata(managedFields)}
	row.APIVersion, row.Kind = o.kind.ToAPIVersionAndKind()
	if l.form.Has(cache.Whole) {
		row.Body = body{o, managedFields}
	}
	return row
}

// body is a whole object, which is decoded whenever it is asked for.
type body struct {
	*object
	keepManagedFields bool
}

// Unstructured returns new maps each time.
func (b body) Unstructured() (*unstructured.Unstructured, error) {
	return b.unstructured(b.keepManagedFields)
}
