package cache

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestAScheduleHandsOutWhatIsDueInOrder(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(1, 2))
	s, want := NewSchedule[int](), map[int]time.Time{}
	for range 5000 {
		key, moment := random.IntN(100), start.Add(time.Duration(random.IntN(1000))*time.Second)
		switch random.IntN(4) {
		case 0:
			s.Set(key, time.Time{})
			delete(want, key)
		case 1:
			due := s.Due(moment)
			if !slices.IsSortedFunc(due, func(a, b int) int { return want[a].Compare(want[b]) }) {
				t.Fatalf("not in order: %v", due)
			}
			for _, key := range due {
				if want[key].IsZero() || want[key].After(moment) {
					t.Fatalf("%d is not due", key)
				}
				delete(want, key)
			}
		default:
			s.Set(key, moment)
			want[key] = moment
		}
		earliest := time.Time{}
		for _, moment := range want {
			if earliest.IsZero() || moment.Before(earliest) {
				earliest = moment
			}
		}
		if next := s.Next(); !next.Equal(earliest) {
			t.Fatalf("next is %v, want %v", next, earliest)
		}
	}
}
