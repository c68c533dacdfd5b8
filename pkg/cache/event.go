package cache

import (
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// EventType is what happened, in the words of the watch API and two more.
type EventType = watch.EventType

const (
	Added    EventType = watch.Added
	Modified EventType = watch.Modified
	Deleted  EventType = watch.Deleted
	// Resync offers an unchanged object again, as informers do on a period.
	Resync EventType = "RESYNC"
	// Synced says that the objects a Target started with have all been reported.
	Synced EventType = "SYNCED"
	// Unchanged says that an object is as an earlier run has reported it. It is for
	// whoever selects objects, and is not reported.
	Unchanged EventType = "UNCHANGED"
)

// Reconsider says that objects have changed on which it depends which objects belong
// to a selection: all of them are to be looked at again. It has no Target.
const Reconsider EventType = "RECONSIDER"

// Elapsed says that the moment has come at which time alone may change which objects
// belong to a selection, or meet a condition. It has no Target.
const Elapsed EventType = "ELAPSED"

// Answered says that one of several clusters has answered, or that it is known why it
// does not. It has no Target.
const Answered EventType = "ANSWERED"

// The transitions of a Target's connection. They stand in the same queue as the
// events of its objects: after those that were received before.
const (
	// Retrying: the first list fails with Err and is retried.
	Retrying EventType = "RETRYING"
	// Lost: the connection is lost, with Err; the cache stays as it is meanwhile.
	Lost EventType = "LOST"
	// Connected: the connection is back after nothing could be received for Gap.
	// Where that was noticed too late, or was over soon, no Lost came before.
	Connected EventType = "CONNECTED"
	// Gone: the server has no such type any more; it is looked for again.
	Gone EventType = "GONE"
	// Returned: the type that was gone is there again.
	Returned EventType = "RETURNED"
	// Ended: the Target has ended by itself; Err is a *SyncError.
	Ended EventType = "ENDED"
)

// Reason says why an event is reported where its type alone would mislead.
type Reason string

// NoLongerMatches marks a DELETED event of an object that lives on but has
// left the selection.
const NoLongerMatches Reason = "NoLongerMatches"

// TimePassed marks an ADDED event of an object that has entered the selection although
// nothing has happened to it: an expression asks for its age.
const TimePassed Reason = "TimePassed"

// Since says from when on an event happened, where it was before the stream began.
type Since string

// SinceState marks what happened since the run that has left its state.
const SinceState Since = "state"

// Event is one thing that a stream reports.
type Event struct {
	Type   EventType
	Target Target
	// Row is the object as it is now; of a deleted object, its last known state.
	// It is nil for Synced and for transitions.
	Row *Row
	// Old is the state before a Modified event; nil otherwise.
	Old *Row
	// Initial marks the objects the informer started from.
	Initial bool
	// FinalStateUnknown marks a deletion that happened while the watch was down.
	FinalStateUnknown bool
	Reason            Reason
	Since             Since
	// Known marks an object that an earlier run has reported, or may have.
	Known bool
	// Err and Gap belong to transitions.
	Err error
	Gap time.Duration
	// Time is when the informer learned of it.
	Time time.Time
}
