package handler

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// over is a context that has ended already.
func over() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestAnEndThatIsReachedLetsEverythingBeHandledRetriesIncluded(t *testing.T) {
	scenario(t, Options{Retries: 1}, func(s *story) {
		s.takes, s.fails = time.Second, only("ADDED b")
		s.add("ADDED a 1", "ADDED b 1", "ADDED c 1")
		if unhandled := s.h.Drain(s.Context()); unhandled != 0 {
			s.Errorf("%d objects unhandled", unhandled)
		}
		s.add("ADDED late 1")
		s.at(time.Hour)
		s.expect("0s ADDED a 1", "1s ADDED b 1", "2s ADDED c 1", "3s ADDED b 1",
			"4s given up ADDED b 1: 7 exit status 7")
	})
}

func TestAnEndWithNothingToDoIsAtOnce(t *testing.T) {
	scenario(t, Options{}, func(s *story) {
		s.h.Drain(s.Context())
		if err := <-s.ended; err != nil {
			s.Errorf("Run returned %v", err)
		}
	})
}

func TestATimeOutLetsTheRunsUnderWayEndAndStartsNoOther(t *testing.T) {
	scenario(t, Options{Parallel: 2, GracePeriod: 10 * time.Second}, func(s *story) {
		s.takes = 8 * time.Second
		s.add("ADDED a 1", "ADDED b 1", "ADDED c 1", "ADDED d 1")
		s.add("MODIFIED a 1->2")
		s.at(time.Second)
		if unhandled := s.h.Drain(over()); unhandled != 3 {
			s.Errorf("%d objects unhandled, want a, c and d", unhandled)
		}
		if now := time.Since(s.begun); now != 8*time.Second {
			s.Errorf("drained after %v", now)
		}
		s.expect("0s ADDED a 1", "0s ADDED b 1")
		if s.h.Failed() != 0 {
			s.Errorf("%d objects failed", s.h.Failed())
		}
	})
}

func TestATimeOutEndsRunsThatTakeLongerThanTheGracePeriod(t *testing.T) {
	scenario(t, Options{Retries: 5, GracePeriod: 10 * time.Second}, func(s *story) {
		s.takes = time.Hour
		s.add("ADDED a 1")
		s.at(time.Second)
		s.h.Drain(over())
		s.expect("0s ADDED a 1", "11s given up ADDED a 1: 143 the time was up")
		if s.h.Failed() != 1 {
			s.Errorf("%d objects failed", s.h.Failed())
		}
	})
}

func TestATimeOutGivesUpWhatHasFailedAndWouldHaveBeenTriedAgain(t *testing.T) {
	scenario(t, Options{Retries: 5, GracePeriod: 10 * time.Second}, func(s *story) {
		s.takes, s.fails = time.Second, always
		s.add("ADDED a#1 1", "ADDED b 1")
		s.add("DELETED a#1 2", "ADDED a#2 3")
		s.at(2500 * time.Millisecond)
		s.expect("0s ADDED a#1 1", "1s ADDED b 1", "2s DELETED a#1 2")
		if unhandled := s.h.Drain(over()); unhandled != 1 {
			s.Errorf("%d objects unhandled, want the new a", unhandled)
		}
		s.expect("2.5s given up ADDED b 1: 7 exit status 7", "3s given up DELETED a#1 2: 7 exit status 7")
		if s.h.Failed() != 2 {
			s.Errorf("%d objects failed", s.h.Failed())
		}
	})
}

func TestADrainThatTakesTooLongBecomesATimeOut(t *testing.T) {
	scenario(t, Options{Retries: -1, GracePeriod: time.Second}, func(s *story) {
		s.fails = always
		s.add("ADDED a 1")
		ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
		defer cancel()
		s.h.Drain(ctx)
		if now := time.Since(s.begun); now != time.Minute {
			s.Errorf("drained after %v", now)
		}
		if s.h.Failed() != 1 {
			s.Errorf("%d objects failed", s.h.Failed())
		}
	})
}

func TestAStopDuringADrainEndsBoth(t *testing.T) {
	scenario(t, Options{GracePeriod: time.Hour}, func(s *story) {
		s.takes = time.Hour
		s.add("ADDED a 1", "ADDED b 1")
		drained := make(chan int, 1)
		go func() { drained <- s.h.Drain(s.Context()) }()
		s.at(time.Second)
		s.stop()
		synctest.Wait()
		select {
		case unhandled := <-drained:
			if unhandled != 1 {
				s.Errorf("%d objects unhandled, want b", unhandled)
			}
		default:
			s.Fatal("the drain goes on")
		}
		s.expect("0s ADDED a 1")
	})
}

func TestADrainBeforeRunEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &story{T: t, runs: map[string]int{}, begun: time.Now()}
		s.h = newHandler(Options{Parallel: 1, GracePeriod: time.Second}, s.command)
		s.add("ADDED a 1")
		drained := make(chan int, 1)
		go func() { drained <- s.h.Drain(over()) }()
		s.at(time.Minute)
		if err := s.h.Run(t.Context()); err != nil {
			t.Errorf("Run returned %v", err)
		}
		if unhandled := <-drained; unhandled != 1 {
			t.Errorf("%d objects unhandled", unhandled)
		}
		s.expect()
	})
}
