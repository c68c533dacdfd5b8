package handler

import (
	"context"
	"sync"
)

// Hurry is how whoever runs a Handler loses patience with its COMMANDs. It is
// made before the Handler, and shared with who decides.
type Hurry struct {
	ctx    context.Context
	cancel context.CancelFunc
	// commands is held for reading by each command, from before its start until
	// it has been waited for.
	commands sync.RWMutex
}

// NewHurry returns one that has all the time in the world.
func NewHurry() *Hurry {
	ctx, cancel := context.WithCancel(context.Background())
	return &Hurry{ctx: ctx, cancel: cancel}
}

// Now ends Run without any grace: all that runs is killed, with its process
// group, and nothing is started any more. It returns when no command is left,
// which is at once where none runs; what they wrote last may be lost if the
// program ends then.
func (h *Hurry) Now() {
	h.cancel()
	h.commands.Lock()
	h.commands.Unlock() //nolint:gocritic,staticcheck // it was waited for, and guards nothing
}

// begin says whether a command may be started; if so, end has to be called when
// it has been waited for.
func (h *Hurry) begin() bool {
	h.commands.RLock()
	if h.ctx.Err() == nil {
		return true
	}
	h.commands.RUnlock()
	return false
}

func (h *Hurry) end() { h.commands.RUnlock() }
