package dump

import (
	"bytes"
	"time"
)

// NewestTime is the newest time at which anything in the dump had happened, so about
// when it was taken; zero where nothing says so, as in manifests.
func (d *Dump) NewestTime() time.Time { return d.newest }

// newestTime finds the newest time in an object's JSON that had come when the object was
// written. It looks for text that ends as the API server's times do, which is far
// cheaper than to decode all objects once more. JSON within a string is none: there
// the quotes are escaped.
func newestTime(raw []byte) (newest time.Time) {
	for {
		end := bytes.Index(raw, []byte(`Z"`))
		if end < 0 {
			return newest
		}
		if member, value := memberAt(raw[:end+1]); isPast(string(member)) {
			if t, err := time.Parse(time.RFC3339, string(value)); err == nil && t.After(newest) {
				newest = t
			}
		}
		raw = raw[end+len(`Z"`):]
	}
}

// memberAt is the name and the text of the member whose value ends where JSON is cut.
func memberAt(cut []byte) (name, value []byte) {
	begin := bytes.LastIndexByte(cut, '"')
	if begin < 0 {
		return nil, nil
	}
	before, isMember := bytes.CutSuffix(bytes.TrimRight(cut[:begin], " "), []byte(":"))
	before, isNamed := bytes.CutSuffix(bytes.TrimRight(before, " "), []byte(`"`))
	if !isMember || !isNamed {
		return nil, nil
	}
	return before[bytes.LastIndexByte(before, '"')+1:], cut[begin+1:]
}

// isPast knows the members whose times are past when they are written. A deletion's
// lies ahead, as that of a certificate's end does.
func isPast(member string) bool {
	switch member {
	case "creationTimestamp", "firstTimestamp", "lastTimestamp", "deprecatedLastTimestamp", "eventTime", "lastObservedTime",
		"lastTransitionTime", "lastHeartbeatTime", "lastProbeTime", "lastUpdateTime", "lastScheduleTime", "lastSuccessfulTime",
		"startedAt", "finishedAt", "completionTime", "renewTime":
		return true
	}
	return false
}
