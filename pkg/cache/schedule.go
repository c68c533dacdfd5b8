package cache

import (
	"container/heap"
	"time"
)

// Schedule has a moment for each of some keys, and knows which have come. It is for
// one goroutine.
type Schedule[K comparable] struct {
	entries map[K]*scheduled[K]
	order   scheduledOrder[K]
}

type scheduled[K comparable] struct {
	key    K
	moment time.Time
	index  int
}

// NewSchedule returns one without keys.
func NewSchedule[K comparable]() *Schedule[K] {
	return &Schedule[K]{entries: map[K]*scheduled[K]{}}
}

// Set gives a key its moment, in place of one that it has; zero takes it away.
func (s *Schedule[K]) Set(key K, moment time.Time) {
	entry := s.entries[key]
	switch {
	case entry == nil && moment.IsZero():
	case entry == nil:
		entry = &scheduled[K]{key: key, moment: moment}
		s.entries[key] = entry
		heap.Push(&s.order, entry)
	case moment.IsZero():
		heap.Remove(&s.order, entry.index)
		delete(s.entries, key)
	default:
		entry.moment = moment
		heap.Fix(&s.order, entry.index)
	}
}

// At is the moment of a key; zero where it has none.
func (s *Schedule[K]) At(key K) time.Time {
	if entry := s.entries[key]; entry != nil {
		return entry.moment
	}
	return time.Time{}
}

// Next is the earliest moment; zero where there is none.
func (s *Schedule[K]) Next() time.Time {
	if len(s.order) == 0 {
		return time.Time{}
	}
	return s.order[0].moment
}

// Due takes out the keys whose moments are not after now, the earliest first.
func (s *Schedule[K]) Due(now time.Time) (keys []K) {
	for len(s.order) > 0 && !s.order[0].moment.After(now) {
		entry := heap.Pop(&s.order).(*scheduled[K])
		delete(s.entries, entry.key)
		keys = append(keys, entry.key)
	}
	return keys
}

// scheduledOrder is a heap.Interface.
type scheduledOrder[K comparable] []*scheduled[K]

func (o scheduledOrder[K]) Len() int           { return len(o) }
func (o scheduledOrder[K]) Less(i, j int) bool { return o[i].moment.Before(o[j].moment) }

func (o scheduledOrder[K]) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].index, o[j].index = i, j
}

func (o *scheduledOrder[K]) Push(x any) {
	entry := x.(*scheduled[K])
	entry.index = len(*o)
	*o = append(*o, entry)
}

func (o *scheduledOrder[K]) Pop() any {
	last := len(*o) - 1
	entry := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	return entry
}
