//go:build !unix

package process

import "context"

// readerGone never says so here: the next write finds out.
func readerGone(context.Context, any) <-chan struct{} { return nil }
