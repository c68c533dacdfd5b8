package client

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func half(t *testing.T) cache.Target {
	t.Helper()
	target := pods()
	var err error
	if target.Shard, err = cache.ParseShard("0/2"); err != nil {
		t.Fatal(err)
	}
	return target
}

// uids are some uids that are in the Shard, or are not.
func uids(shard cache.Shard, in bool) (found []string) {
	for n := 0; len(found) < 3; n++ {
		uid := fmt.Sprint("uid-", n)
		if shard.Holds(&cache.Row{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid)}}) == in {
			found = append(found, uid)
		}
	}
	return found
}

// shardedServer answers lists with objects of those uids; divides has it answer as
// one that selects by shards.
func shardedServer(t *testing.T, target cache.Target, uids []string, status int, divides bool) (l *listerWatcher, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	config := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/pods") {
			http.NotFound(w, r)
			return
		}
		selector := r.URL.Query().Get("shardSelector")
		*asked = append(*asked, r.URL.Query().Get("watch")+selector)
		w.Header().Set("Content-Type", "application/json")
		if selector != "" && status != 0 {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","code":%d}`, status)
			return
		}
		if r.URL.Query().Get("watch") != "" {
			return
		}
		info := ""
		if divides && selector != "" {
			info = fmt.Sprintf(`,"shardInfo":{"selector":%q}`, selector)
		}
		var items []string
		for _, uid := range uids {
			items = append(items, fmt.Sprintf(`{"metadata":{"name":%q,"uid":%q}}`, uid, uid))
		}
		fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"%s},"items":[%s]}`, info, strings.Join(items, ","))
	})
	return from(t, config, target, cache.Whole), asked
}

func TestAWatchIsLeftToAServerThatDividesAsWeDo(t *testing.T) {
	target := half(t)
	selector := target.Shard.Selector()
	for _, test := range []struct {
		name    string
		uids    []string
		status  int
		divides bool
		want    []string
	}{
		{"a server that divides", uids(target.Shard, true), 0, true, []string{selector, "true" + selector}},
		{"a server that does not know shards", uids(target.Shard, true), 0, false, []string{selector, "true"}},
		{"a server that refuses the selector", uids(target.Shard, true), http.StatusBadRequest, false, []string{selector, "", "true"}},
		{"a server that divides otherwise", uids(target.Shard, false), 0, true, []string{selector, "", "true"}},
		{"an answer that shows nothing", nil, 0, true, []string{selector, "true"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, asked := shardedServer(t, target, test.uids, test.status, test.divides)
			if _, err := l.ListWithContext(t.Context(), metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			w, err := l.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "1"})
			if err != nil {
				t.Fatal(err)
			}
			w.Stop()
			if !slices.Equal(*asked, test.want) {
				t.Errorf("asked %q, want %q", *asked, test.want)
			}
		})
	}
}

// The pages before have had the objects of the server's shard, not of ours.
func TestAPageThatIsDividedOtherwiseBeginsTheListAgain(t *testing.T) {
	target := half(t)
	l, _ := shardedServer(t, target, uids(target.Shard, false), 0, true)
	if _, err := l.ListWithContext(t.Context(), metav1.ListOptions{Continue: "token"}); classify(err) != cache.Expired {
		t.Errorf("got %v, want what has the list begin again", err)
	}
	if l.shards.selector(target.Shard, false) != "" {
		t.Error("the server is asked for its shard again")
	}
}
