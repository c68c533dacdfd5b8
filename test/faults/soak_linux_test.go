package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestSoak makes scenarios in a random order, for as long as -soak says. The seed
// that it prints makes the same ones again, in the same order, with the same
// writes.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		return // make soak runs it
	}
	drawn := *seed
	if drawn == 0 {
		drawn = rand.Uint64()
	}
	note("soak: SEED=%d makes the same again", drawn)
	random := rand.New(rand.NewPCG(drawn, 2))
	// The stage's server lives no longer than the tests of a package may take.
	shared, own, end := startSite(t), startSite(t), time.Now().Add(*soak)
	for round := 1; time.Now().Before(end); round++ {
		scenarios := slices.Concat(onShared(), servers())
		chosen, draw := random.IntN(len(scenarios)), random.Uint64()
		s, on := scenarios[chosen], shared
		if chosen >= len(onShared()) {
			on = own
		}
		note("soak: round %d: %s", round, s.name)
		if !t.Run(fmt.Sprintf("%d_%s", round, s.name), func(t *testing.T) { s.run(t, on, draw) }) {
			note("soak: failed; SEED=%d makes it again", drawn)
		}
	}
}
