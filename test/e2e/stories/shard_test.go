package stories

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// worker is one of several tails, each with its shard, that share objects.
type worker struct{ *stream }

func (u *user) work(index, count int) *worker {
	return &worker{u.tail("configmaps", "-l", "work", "--shard", fmt.Sprintf("%d/%d", index, count), "-o", "json", "--sync-events")}
}

// read reads what has been reported so far.
func (w *worker) read() map[types.UID][]watch.EventType {
	w.t.Helper()
	seen := map[types.UID][]watch.EventType{}
	for _, line := range w.Lines() {
		var event struct {
			Type   watch.EventType
			Object metav1.PartialObjectMetadata
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			w.t.Fatalf("%v: %s", err, line)
		}
		if event.Type != "SYNCED" {
			seen[event.Object.UID] = append(seen[event.Object.UID], event.Type)
		}
	}
	return seen
}

// churn creates, changes and deletes objects until done is closed, and returns the
// uids of all that it has created.
func churn(ctx context.Context, namespace string, done <-chan struct{}) (created []types.UID, err error) {
	client := stage.client.CoreV1().ConfigMaps(namespace)
	for n := 0; ; n++ {
		select {
		case <-done:
			return created, nil
		default:
		}
		one, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprint("object-", n), Labels: map[string]string{"work": "yes"},
		}}, metav1.CreateOptions{})
		if err != nil {
			return created, err
		}
		created = append(created, one.UID)
		one.Data = map[string]string{"changed": "yes"}
		if _, err := client.Update(ctx, one, metav1.UpdateOptions{}); err != nil {
			return created, err
		}
		if n%3 == 2 {
			if err := client.Delete(ctx, fmt.Sprint("object-", n-1), metav1.DeleteOptions{}); err != nil {
				return created, err
			}
		}
	}
}

// living are the uids of the objects that are there.
func living(t *testing.T, namespace string) (uids []types.UID) {
	t.Helper()
	list, err := stage.client.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "work"})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		uids = append(uids, item.UID)
	}
	slices.Sort(uids)
	return uids
}

// Three tails share the objects; one is killed and started again; then four take over.
func TestShardsCoverEachObjectExactlyOnce(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	done := make(chan struct{})
	var created []types.UID
	var failed error
	var churning sync.WaitGroup
	workers := []*worker{user.work(0, 3), user.work(1, 3), user.work(2, 3)}
	for _, w := range workers {
		w.untilTold(`"SYNCED"`)
	}
	churning.Go(func() { created, failed = churn(t.Context(), user.namespace, done) })
	for _, w := range workers {
		w.until(func(stdout, _ []string) bool { return len(stdout) > 20 })
	}
	before := workers[1].read()
	if err := workers[1].Kill(); err != nil {
		t.Fatal(err)
	}
	workers[1] = user.work(1, 3)
	workers[1].untilTold(`"SYNCED"`)
	next := []*worker{user.work(0, 4), user.work(1, 4), user.work(2, 4), user.work(3, 4)}
	for _, w := range next {
		w.untilTold(`"SYNCED"`)
		w.until(func(stdout, _ []string) bool { return len(stdout) > 20 })
	}
	close(done)
	churning.Wait()
	if failed != nil {
		t.Fatal(failed)
	}
	there := living(t, user.namespace)

	// Each object by one of the three, but for those that came and went while the
	// second was away.
	eventually(t, func() error { return covers(there, workers...) })
	reported := counted(workers)
	for uid := range before {
		reported[uid] |= 1 << 1
	}
	for _, uid := range created {
		if n := reported[uid]; n&(n-1) != 0 {
			t.Errorf("the object %s was reported by several shards: %b", uid, n)
		}
	}
	// And by one of the four, who began while the three were still there.
	eventually(t, func() error { return covers(there, next...) })
	for uid, n := range counted(next) {
		if n&(n-1) != 0 {
			t.Errorf("the object %s was reported by several of four shards: %b", uid, n)
		}
	}
	for _, w := range slices.Concat(workers, next) {
		w.interrupt()
	}
}

// counted is which of the workers have reported each object, as bits.
func counted(workers []*worker) map[types.UID]uint {
	by := map[types.UID]uint{}
	for n, w := range workers {
		for uid := range w.read() {
			by[uid] |= 1 << n
		}
	}
	return by
}

// covers says whether the objects that are there are those that the workers know of.
func covers(there []types.UID, workers ...*worker) error {
	known := map[types.UID]bool{}
	for _, w := range workers {
		for uid, events := range w.read() {
			if events[len(events)-1] != watch.Deleted {
				known[uid] = true
			}
		}
	}
	if got := slices.Sorted(maps.Keys(known)); !slices.Equal(got, there) {
		return fmt.Errorf("the workers know of %d objects, the server has %d", len(got), len(there))
	}
	return nil
}

// What list and wait make of shards.
func TestShardsOfAListAreTheList(t *testing.T) {
	t.Parallel()
	user := newUser(t)
	for n := range 12 {
		user.kubectl("create", "configmap", fmt.Sprint("object-", n))
	}
	all := user.kubectl("get", "configmaps", "-o", "name")
	for _, format := range [][]string{{"-o", "name"}, {"-o", "jsonpath={range .items[*]}configmap/{.metadata.name}{\"\\n\"}{end}"}, {"--chunk-size", "2", "-o", "name"}} {
		var parts []string
		for _, shard := range []string{"0/3", "1/3", "2/3"} {
			part := user.run("kubectl-informer", slices.Concat([]string{"list", "configmaps", "--shard", shard}, format)...)
			if part.Code != 0 || part.Stdout == all {
				t.Fatalf("%+v", part)
			}
			parts = append(parts, strings.Fields(part.Stdout)...)
		}
		slices.Sort(parts)
		want := strings.Fields(all)
		slices.Sort(want)
		if !slices.Equal(parts, want) {
			t.Errorf("%v: got %v, want %v", format, parts, want)
		}
	}
	wait := user.run("kubectl-informer", "wait", "configmaps", "--shard", "0/3", "--for=create", "--all", "--count", ">=13", "--timeout", "1s")
	if wait.Code == 0 {
		t.Errorf("%+v", wait)
	}
	refused := user.run("kubectl-informer", "list", "configmap/object-1", "--shard", "0/3")
	if want := "error: --shard divides all objects of a type, and cannot be used where configmaps \"object-1\""; refused.Code != 1 || !strings.HasPrefix(refused.Stderr, want) {
		t.Errorf("%+v", refused)
	}
}
