package diff

import (
	"encoding/json"
	"reflect"
	"slices"
)

// leaderAnnotation holds the lease of those who elect their leader through an
// Endpoints object or a ConfigMap (client-go's resourcelock, before Leases).
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"

// isNoise says whether what is at the path changes all the time and means
// nothing: bookkeeping of the API server, heartbeats, and renewals of leases.
// A field that is named is none.
func (c *comparison) isNoise(old, now value) bool {
	p := c.path
	if len(p) > 0 && slices.Contains(c.options.Named, p[len(p)-1].key) {
		return false
	}
	switch len(p) {
	case 2:
		return p.is("metadata", "managedFields") || p.is("metadata", "resourceVersion") ||
			p.is("metadata", "generation") || c.lease && p.is("spec", "renewTime")
	case 3:
		return p.is("metadata", "annotations", leaderAnnotation) && isRenewal(old, now)
	case 4:
		return p[:2].is("status", "conditions") && p[2].item != nil && p[3].key == "lastHeartbeatTime"
	}
	return false
}

// isRenewal says whether two records of a leader differ in the time of renewal
// at most. Another leader is a change.
func isRenewal(old, now value) bool {
	before, ok := leaderRecord(old)
	if !ok {
		return false
	}
	after, ok := leaderRecord(now)
	return ok && reflect.DeepEqual(before, after)
}

func leaderRecord(v value) (map[string]any, bool) {
	text, _ := v.content.(string)
	var record map[string]any
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		return nil, false
	}
	delete(record, "renewTime")
	return record, record != nil
}
