package completion

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnswerGivesItsWorkATimeAndTheShellAnAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		work func(ctx context.Context, released <-chan struct{}, stdout io.Writer)
		took time.Duration
		want string
	}{
		"in time": {
			work: func(_ context.Context, _ <-chan struct{}, stdout io.Writer) { fmt.Fprint(stdout, "web-1\n:4\n") },
			want: "web-1\n:4\n",
		},
		"at the end of its context": {
			work: func(ctx context.Context, _ <-chan struct{}, stdout io.Writer) {
				<-ctx.Done()
				fmt.Fprint(stdout, "web-1\n:4\n")
			},
			took: timeout,
			want: "web-1\n:4\n",
		},
		"never": {
			work: func(_ context.Context, released <-chan struct{}, stdout io.Writer) {
				fmt.Fprint(stdout, "web-1\n")
				<-released
			},
			took: timeout + grace,
			want: ":4\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				released := make(chan struct{})
				defer close(released)
				var stdout bytes.Buffer
				start := time.Now()
				code := Answer(t.Context(), []string{"__complete", ""}, &stdout, func(ctx context.Context, answer io.Writer) int {
					test.work(ctx, released, answer)
					return 0
				})
				if took := time.Since(start); took != test.took || stdout.String() != test.want || code != 0 {
					t.Errorf("code %d after %v, stdout %q", code, took, &stdout)
				}
			})
		})
	}
}
