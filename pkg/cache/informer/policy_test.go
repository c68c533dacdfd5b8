package informer

import (
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestPolicy(t *testing.T) {
	for fault, want := range map[cache.Fault][3]verdict{
		//                   first contact, syncing, synced
		cache.Unreachable: {end, retryAloud, lost},
		cache.Denied:      {end, end, endIfLasting},
		cache.Missing:     {end, end, gone},
		cache.Unsupported: {end, end, end},
		cache.Invalid:     {end, end, end},
		cache.Transient:   {retryAloud, retryAloud, lost},
		cache.Expired:     {retry, retry, retry},
	} {
		for p, verdict := range want {
			if got := decide(phase(p), fault); got != verdict {
				t.Errorf("fault %d in phase %d: got %d, want %d", fault, p, got, verdict)
			}
		}
	}
}
