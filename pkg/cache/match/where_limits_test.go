package match_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

func TestALibraryThatPanicsIsAMissAndNoCrash(t *testing.T) {
	where, err := match.CostLimit(0).Compile(match.ObjectOnly, `lists.range(9223372036854775807).size() > 0`)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := where.Eval(t.Context(), time.Now(), rowOf(t, webPod), nil); got || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if count, _ := where.Misses(); count != 1 {
		t.Errorf("got %d misses", count)
	}
}

func TestARunawayExpressionEndsWithItsContext(t *testing.T) {
	where := mustCompile(t, `lists.range(100000).all(x, lists.range(100000).all(y, x + y >= 0))`)
	ctx, cancel := context.WithCancel(t.Context())
	row := metadataRow("a")
	// The body is read when the evaluation begins; it would take hours to end.
	row.Body = hookedBody{object: map[string]any{}, onRead: cancel}
	if got, _, err := where.Eval(ctx, time.Now(), row, nil); got || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", got, err)
	}
	if count, first := where.Misses(); count != 0 {
		t.Errorf("an interrupt is the object's fault: %s", first)
	}
}

func TestTheAPIServersLimitIsNotOurs(t *testing.T) {
	// A tenth of each text's length: twice what the API server allows in a call.
	where := mustCompile(t, `lists.range(20).all(x, !object.spec.text.contains("y"))`)
	row := pod(t, "a", `spec: {text: `+strings.Repeat("x", 1_000_000)+`}`)
	if got, _, err := where.Eval(t.Context(), time.Now(), row, nil); !got || err != nil {
		_, first := where.Misses()
		t.Errorf("got %v, %v, %s", got, err, first)
	}
}

func TestAnEndedContextAsksNothing(t *testing.T) {
	for _, where := range []*match.Where{mustCompile(t, `true`), mustCompile(t)} {
		if got, _, err := where.Eval(ended(), time.Now(), rowOf(t, webPod), nil); got || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v", got, err)
		}
	}
}

func BenchmarkWhereEval(b *testing.B) {
	row := rowOf(b, webPod)
	for name, expression := range map[string]string{
		"field":     `object.spec.nodeName == "node-1"`,
		"loop":      `object.spec.containers.exists(c, c.image.startsWith("busybox"))`,
		"miss":      `object.spec.nothing == 1`,
		"quantity":  `quantity(object.spec.containers[0].resources.requests.cpu).isGreaterThan(quantity("1"))`,
		"old state": `object.status.phase == oldObject.status.phase`,
	} {
		b.Run(name, func(b *testing.B) {
			where := mustCompile(b, expression)
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := where.Eval(b.Context(), time.Now(), row, row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
