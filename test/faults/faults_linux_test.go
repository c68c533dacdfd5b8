package faults

import (
	"cmp"
	"slices"
	"testing"
)

// TestFaultsOfServers ends servers, one scenario after the other, which takes long:
// it is the first to start.
func TestFaultsOfServers(t *testing.T) {
	t.Parallel()
	on := startSite(t)
	for _, s := range servers() {
		t.Run(s.name, func(t *testing.T) { s.run(t, on, *seed) })
	}
}

// TestFaultsOfAggregatedAPIs has a server of its own: an API that cannot be read
// is in everybody's discovery.
func TestFaultsOfAggregatedAPIs(t *testing.T) {
	t.Parallel()
	on := startSite(t)
	for _, s := range aggregation() {
		t.Run(s.name, func(t *testing.T) { s.run(t, on, *seed) })
	}
}

// TestFaults makes every fault of the scenarios that leave the server alive.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, s := range onShared() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, stage.shared, *seed)
		})
	}
}

// onShared are the scenarios that share a server.
func onShared() []scenario {
	scenarios := slices.Concat(network(), answers(), rights(), readers(), definitionsOfTypes())
	slices.SortFunc(scenarios, func(a, b scenario) int { return cmp.Compare(a.name, b.name) })
	return scenarios
}
