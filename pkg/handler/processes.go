package handler

import (
	"context"
	"sync"
)

// Processes are the COMMANDs that a Handler runs, for whoever may have to kill them
// all. It is made before the Handler, and shared with who decides.
type Processes struct {
	killed context.Context
	kill   context.CancelFunc
	// running is held for reading by each command, from before its start until
	// it has been waited for.
	running sync.RWMutex
}

// NewProcesses returns those of a Handler that has yet to be made.
func NewProcesses() *Processes {
	killed, kill := context.WithCancel(context.Background())
	return &Processes{killed: killed, kill: kill}
}

// Kill ends Run without any grace: all that runs is killed, with its process
// group, and nothing is started any more. It returns when no command is left,
// which is at once where none runs; what they wrote last may be lost if the
// program ends then.
func (p *Processes) Kill() {
	p.kill()
	p.running.Lock()
	p.running.Unlock() //nolint:gocritic,staticcheck // it was waited for, and guards nothing
}

// begin says whether a command may be started; if so, end has to be called when
// it has been waited for.
func (p *Processes) begin() bool {
	p.running.RLock()
	if p.killed.Err() == nil {
		return true
	}
	p.running.RUnlock()
	return false
}

func (p *Processes) end() { p.running.RUnlock() }
