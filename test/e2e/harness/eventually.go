package harness

import (
	"context"
	"time"
)

// Eventually asks until the check returns no error. It returns the last error
// when that takes more than a minute, or when ctx ends.
func Eventually(ctx context.Context, check func() error) error {
	limit := time.After(patience)
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-limit:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}
