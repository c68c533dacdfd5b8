package guard

import "testing"

// TestPolicy holds the whole table: rows are faults, columns phases.
func TestPolicy(t *testing.T) {
	for _, row := range []struct {
		err                                error
		first, syncing, unwatched, follows verdict
	}{
		{errRefused, end, retry, retry, retry},
		{errForbidden, end, end, end, endIfLasting},
		{errGateway403, end, end, end, retry},
		{errPlugin, end, end, end, retry},
		{errMissing, end, end, goneIfLasting, goneIfLasting},
		{errNoWatch, end, end, end, end},
		{errSelector, end, end, end, end},
		{errGateway400, end, end, end, retry},
		{errOverdue, end, end, retry, retry},
		{errTooOld, relist, relist, relist, relist},
		{errAhead, relistIfLasting, relistIfLasting, relistIfLasting, relistIfLasting},
		{errUnavailable, retry, retry, retry, retry},
		{errCut, retry, retry, retry, retry},
	} {
		d := diagnoses[row.err.Error()]
		got := [4]verdict{decide(firstContact, d), decide(syncing, d), decide(unwatched, d), decide(synced, d)}
		if want := [4]verdict{row.first, row.syncing, row.unwatched, row.follows}; got != want {
			t.Errorf("%v: got %v, want %v", row.err, got, want)
		}
	}
}
