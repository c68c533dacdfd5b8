package faults

import (
	"regexp"
	"testing"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/faults/ledger"
)

// command is one of those that a scenario happens to.
type command string

const (
	tail    command = "tail"
	handler command = "tail -- COMMAND"
	wait    command = "wait"
	query   command = "query"
)

// all are the commands of the scenarios that can matter to each.
func all() []command { return []command{tail, handler, wait, query} }

// moment is when a fault is made.
type moment int

const (
	// synced: all commands are, and objects change.
	synced moment = iota
	// starting: the commands are started when the fault has begun.
	starting
	// never: nothing is to come of the commands, whose ends are all that counts.
	never
)

// scenario is one fault, and what is to come of it.
type scenario struct {
	name string
	// commands are those it happens to; none is tail alone.
	commands []command
	when     moment
	// before prepares what the fault needs, before the commands start.
	before func(*lab)
	// fault makes the fault, and returns when it is over.
	fault func(*lab)
	// broken is the type that the fault is about. Without one it is about all.
	broken *ledger.Type
	// closed says that the broken type ends with the fault.
	closed bool
	// says are the lines on stderr.
	says []sight
	// ends are the commands that end by themselves.
	ends map[command]ending
	// user is who runs the commands; the admin, unless it is set.
	user string
	// config changes the kubeconfig.
	config func(*lab, *clientcmdapi.Config)
	// env are more variables of the commands' environment.
	env []string
	// only is the name of the objects that the commands ask for, if not all.
	only string
	// piped says that tail writes into a pipe, which the scenario may neglect.
	piped bool
	// wrap is a program that runs the commands.
	wrap []string
	// spare are invariants that cannot hold here; the table leaves them out.
	spare []invariant
	// calm says that nothing is written but by the fault itself.
	calm bool
}

// ending is how a command ends by itself.
type ending struct {
	code int
	says *regexp.Regexp
}

func (s *scenario) whose() string {
	if s.user == "" {
		return cluster.Admin
	}
	return s.user
}

func (s *scenario) which() []command {
	if len(s.commands) == 0 {
		return []command{tail}
	}
	return s.commands
}

// run makes a scenario happen on a site.
func (s scenario) run(t *testing.T, on *site, seed uint64) {
	l := newLab(t, &s, on, seed)
	defer func() { stage.results.add(l.result) }()
	if s.before != nil {
		s.before(l)
	}
	switch s.when {
	case never:
		l.start()
		l.endings()
		return
	case starting:
		l.starting()
	case synced:
		l.start()
		l.ready()
		l.breaking(s.fault)
	}
	l.endings()
	l.recover()
	l.finish()
	l.check()
}
