package ledger

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Event is a line of `tail -o json`.
type Event struct {
	Type              string
	Initial           bool
	FinalStateUnknown bool
	Key               Key
	Version           Version
}

// Stream replays the lines of `tail -o json`.
type Stream struct {
	Events []Event
	// Cache is what somebody has who has believed every line.
	Cache Objects
	// Synced are the kinds of which all that was there has been told.
	Synced []string

	lines      int
	unreadable []string
	illogical  []string
	falling    []string
	last       map[types.UID]string
	told       map[types.UID]string // the kind
	deleted    map[types.UID]int
}

// NewStream returns one of which nothing has been read.
func NewStream() *Stream {
	return &Stream{Cache: Objects{}, last: map[types.UID]string{}, told: map[types.UID]string{}, deleted: map[types.UID]int{}}
}

// Read replays those of all lines that it has not been given before.
func (s *Stream) Read(lines []string) {
	for _, line := range lines[s.lines:] {
		s.lines++
		event, err := parse(line)
		if err != nil {
			s.unreadable = append(s.unreadable, fmt.Sprintf("%v in the line %.200q", err, line))
			continue
		}
		s.replay(event)
	}
}

func parse(line string) (Event, error) {
	var read struct {
		Type                       string
		Initial, FinalStateUnknown bool
		Kind                       string
		Object                     map[string]any
	}
	if err := json.Unmarshal([]byte(line), &read); err != nil {
		return Event{}, err
	}
	event := Event{Type: read.Type, Initial: read.Initial, FinalStateUnknown: read.FinalStateUnknown}
	if !slices.Contains([]string{"ADDED", "MODIFIED", "DELETED", "RESYNC", "SYNCED"}, event.Type) {
		return Event{}, fmt.Errorf("unknown type %q", event.Type)
	}
	object := &unstructured.Unstructured{Object: read.Object}
	event.Key, event.Version = KeyOf(object), VersionOf(object)
	if event.Type == "SYNCED" {
		event.Key.Kind = read.Kind
		return event, nil
	}
	if event.Key.Name == "" || event.Key.Kind == "" {
		return Event{}, fmt.Errorf("an object without a name or kind")
	}
	return event, nil
}

func (s *Stream) replay(e Event) {
	if e.Type == "SYNCED" {
		s.Synced = append(s.Synced, e.Key.Kind)
		return
	}
	s.Events = append(s.Events, e)
	known, there := s.Cache[e.Key]
	uid := e.Version.UID
	s.told[uid] = e.Key.Kind
	switch {
	case e.Type == "ADDED" && there:
		s.wrong(e, "it is there already")
	case e.Type != "ADDED" && !there:
		s.wrong(e, "it is not there")
	case e.Type != "ADDED" && known.UID != uid:
		s.wrong(e, fmt.Sprintf("another object, %s, is there", known.UID))
	case e.Type == "RESYNC" && known != e.Version:
		s.wrong(e, "the cache holds what has not been told")
	}
	if last, ok := s.last[uid]; ok && !e.FinalStateUnknown && older(e.Version.ResourceVersion, last) {
		s.falling = append(s.falling, fmt.Sprintf("%s %v: resourceVersion %s after %s", e.Type, e.Key, e.Version.ResourceVersion, last))
	}
	s.last[uid] = e.Version.ResourceVersion
	if e.Type == "DELETED" {
		s.deleted[uid]++
		delete(s.Cache, e.Key)
		return
	}
	s.Cache[e.Key] = e.Version
}

func (s *Stream) wrong(e Event, why string) {
	s.illogical = append(s.illogical, fmt.Sprintf("event %d, %s %v %s: %s", len(s.Events), e.Type, e.Key, e.Version.UID, why))
}

// older compares resourceVersions as numbers. One that is no number, as some
// aggregated APIs have it, is as new as any other.
func older(a, b string) bool {
	first, err := strconv.ParseUint(a, 10, 64)
	second, err2 := strconv.ParseUint(b, 10, 64)
	return err == nil && err2 == nil && first < second
}

// Unreadable says which lines are no events.
func (s *Stream) Unreadable() []string { return firstTen(s.unreadable) }

// Illogical says which events cannot follow on what was told before them.
func (s *Stream) Illogical() []string { return firstTen(s.illogical) }

// Falling says where an object's resourceVersion does not rise.
func (s *Stream) Falling() []string { return firstTen(s.falling) }

// Deletions says where deletions are missing, doubled or invented, given what is
// there of some kinds in the end: an object that was told and is not there has
// one, others have none.
func (s *Stream) Deletions(there Objects, kinds ...string) []string {
	living := there.UIDs()
	var lines []string
	for uid, kind := range s.told {
		if !slices.Contains(kinds, kind) {
			continue
		}
		switch n := s.deleted[uid]; {
		case living[uid] && n > 0:
			lines = append(lines, fmt.Sprintf("%s is there, and was told DELETED", uid))
		case !living[uid] && n != 1:
			lines = append(lines, fmt.Sprintf("%s is gone, and was told DELETED %d times", uid, n))
		}
	}
	slices.Sort(lines)
	return firstTen(lines)
}

// Tells says whether an object's creation has been told.
func (s *Stream) Tells(key Key) bool {
	_, ok := s.Cache[key]
	return ok
}
