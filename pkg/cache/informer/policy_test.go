package informer

import (
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestPolicy(t *testing.T) {
	for fault, want := range map[cache.Fault][4]verdict{
		//                   first contact, syncing, listed, synced
		cache.Unreachable: {end, retryAloud, lost, lost},
		cache.Denied:      {end, end, end, endIfLasting},
		cache.Missing:     {end, end, gone, gone},
		cache.Unsupported: {end, end, end, end},
		cache.Invalid:     {end, end, end, end},
		cache.Overdue:     {end, end, lost, lost},
		cache.Transient:   {retryAloud, retryAloud, lost, lost},
		cache.Expired:     {retry, retry, retry, retry},
	} {
		for p, verdict := range want {
			if got := decide(phase(p), fault); got != verdict {
				t.Errorf("fault %d in phase %d: got %d, want %d", fault, p, got, verdict)
			}
		}
	}
}
