package client

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// shards is what is known of a server that may select a Shard by itself: an alpha
// feature, which most servers pass over in silence. Whatever the server does, the guard
// drops the objects of other shards.
type shards struct {
	// off is set where the server could not say that it has divided, which it says in
	// lists of whole objects alone, not in Tables or lists of metadata (1.37); and once
	// it has refused the selector, or has divided otherwise than we do.
	off bool
	// checked says that the last list had objects, and all those of the Shard and no
	// others. Only then is a watch left to the server: what a server leaves out of a
	// watch, nobody can see.
	checked bool
}

// errShardsDiffer has the list begin again, with all objects.
var errShardsDiffer = apierrors.NewResourceExpired("the server divides objects into shards otherwise than this client")

// selector is what a request asks the server to select by.
func (s *shards) selector(shard cache.Shard, watch bool) string {
	if s.off || watch && !s.checked {
		return ""
	}
	return shard.Selector()
}

// refused looks at the answer to a list, and says whether to ask for all objects instead.
func (s *shards) refused(shard cache.Shard, page *cache.RowList, err error) bool {
	if shard.IsAll() || s.off {
		return false
	}
	if err != nil {
		s.off = classify(err) == cache.Invalid
		return s.off
	}
	s.checked = false
	if page.ShardInfo == nil || page.ShardInfo.Selector != shard.Selector() {
		return false
	}
	for _, row := range page.Items {
		if !shard.Holds(row) {
			s.off = true
			return true
		}
	}
	s.checked = len(page.Items) > 0
	return false
}
