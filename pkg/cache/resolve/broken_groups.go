package resolve

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// reasonTimeout bounds the search for reasons, all of them in one run: an API
// that hangs must not hold up the error that names it.
const reasonTimeout = 3 * time.Second

// failures returns the versions of groups that discovery could not read and in
// which a type of the given group may be, with the server's reason for each.
func (r *run) failures(types *types, group string, versions []string) map[schema.GroupVersion]error {
	first := r.failed == nil
	if first {
		r.reasonsBy = time.Now().Add(reasonTimeout)
	}
	ctx, cancel := context.WithDeadline(r.ctx, r.reasonsBy)
	defer cancel()
	server := r.server()
	if first {
		r.failed = findFailures(ctx, types, server)
	}
	failed := map[schema.GroupVersion]error{}
	for version, reason := range r.failed {
		if mayHold(version, group, versions) {
			r.failed[version] = explain(ctx, version, reason, server)
			failed[version] = r.failed[version]
		}
	}
	return failed
}

// mayHold says whether a type asked for in this group can be in gv. Without a
// group it can be in all. A group may be the beginning of its name, and hold the
// version (TYPE.VERSION.GROUP); versions that are empty ask for none.
func mayHold(gv schema.GroupVersion, group string, versions []string) bool {
	for _, version := range versions {
		if version != "" && version != gv.Version {
			return false
		}
	}
	return strings.HasPrefix(gv.Group, group) || strings.HasPrefix(gv.Version+"."+gv.Group, group)
}

// server is discovery past the cache; nil where the client has no connection.
func (r *run) server() *discovery.DiscoveryClient {
	client := r.known.client.RESTClient()
	if client == nil {
		return nil
	}
	return discovery.NewDiscoveryClient(client)
}

// findFailures asks the server once more, which is worth it only when a type is
// missing: the disk cache drops without a word the versions that the server
// calls stale.
func findFailures(ctx context.Context, types *types, server *discovery.DiscoveryClient) map[schema.GroupVersion]error {
	failed := map[schema.GroupVersion]error{}
	maps.Copy(failed, types.failed)
	if server == nil {
		return failed
	}
	if _, _, stale, err := server.GroupsAndMaybeResourcesWithContext(ctx); err == nil {
		maps.Copy(failed, stale)
	}
	return failed
}

// explain finds out why a version is stale, while there is time: only a request
// for it can show.
func explain(ctx context.Context, version schema.GroupVersion, reason error, server *discovery.DiscoveryClient) error {
	if server == nil || ctx.Err() != nil || !errors.As(reason, &discovery.StaleGroupVersionError{}) {
		return reason
	}
	if _, err := server.ServerResourcesForGroupVersionWithContext(ctx, version.String()); err != nil {
		return err
	}
	return reason
}
