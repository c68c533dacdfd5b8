package decode

import (
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/compress"
)

func TestTextThatIsAtHandIsNotCopied(t *testing.T) {
	body := jsonBody{compress.Plain([]byte(`{"apiVersion":"v1","kind":"Pod","spec":{"weight":12,"words":"1e5"}}`))}
	if n := testing.AllocsPerRun(10, func() { _, _ = body.JSON() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
