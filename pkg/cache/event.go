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
	// Synced says that the objects a Target started with have all been told.
	Synced EventType = "SYNCED"
)

// Reason says why an event is told where its type alone would mislead.
type Reason string

// NoLongerMatches marks a DELETED event of an object that lives on but has
// left the selection.
const NoLongerMatches Reason = "NoLongerMatches"

// Event is one thing told by a stream.
type Event struct {
	Type   EventType
	Target Target
	// Row is the object as it is now; of a deleted object, its last known state.
	// It is nil for Synced alone.
	Row *Row
	// Old is the state before a Modified event; nil otherwise.
	Old *Row
	// Initial marks the objects the informer started from.
	Initial bool
	// FinalStateUnknown marks a deletion that happened while the watch was down.
	FinalStateUnknown bool
	Reason            Reason
	// Time is when the informer learned of it.
	Time time.Time
}
