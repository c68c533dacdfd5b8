package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/client"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/leader"
)

// leaderFlags are the flags of a stream of which one of several replicas is active.
type leaderFlags struct{ lease string }

func (f *leaderFlags) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.lease, "leader-elect", "",
		"Of several replicas that are given the same name, have one be active and the others wait: who holds the Lease of this name, in the namespace of the context. Who loses it ends, with exit code 1. The Lease is the only thing that is ever written to the cluster.")
}

// validate says which names a Lease cannot have.
func (f *leaderFlags) validate(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("leader-elect") {
		return nil
	}
	if wrong := validation.IsDNS1123Subdomain(f.lease); len(wrong) > 0 {
		return fmt.Errorf("--leader-elect: %q cannot be the name of a Lease: %s", f.lease, strings.Join(wrong, "; "))
	}
	return nil
}

// replica is a stream that begins when this process leads, and ends when it does not
// lead any more.
type replica struct {
	*tailOptions
	lease string
}

// whereLeading returns the stream as it is run: where --leader-elect is given, by the leader alone.
func (f *leaderFlags) whereLeading(o *tailOptions) question.Runner {
	if f.lease == "" {
		return o
	}
	return &replica{o, f.lease}
}

func (r *replica) Run(signalled context.Context) error {
	outcome := "this process has not become the leader"
	config, err := r.election(func(holder string) { outcome = holder + " leads" })
	if err != nil {
		return err
	}
	// --timeout ends the waiting here; the stream ends by it as any other.
	waiting, cancel := context.WithCancelCause(signalled)
	defer cancel(nil)
	began, stopTimer := time.Now(), func() bool { return true }
	if r.timeout > 0 {
		stopTimer = time.AfterFunc(r.timeout, func() { cancel(process.ErrTimeUp) }).Stop
	}
	err = leader.Run(waiting, config, func(leading context.Context) error {
		if !stopTimer() {
			return process.ErrTimeUp
		}
		return r.lead(leading, time.Since(began))
	})
	var (
		lost    *leader.LostError
		refused *leader.Error
	)
	switch {
	case errors.As(err, &refused):
		return leaseError{refused}
	case errors.As(err, &lost):
		// That its context has ended is what the stream was asked for.
		others := slices.DeleteFunc(process.Flatten(lost.Work), func(err error) bool { return err == nil || errors.Is(err, context.Canceled) })
		return errors.Join(append(others, lost)...)
	case isTimeUp(waiting):
		return process.NewTimedOut(process.ErrNotListed, outcome)
	}
	return err
}

// lead runs the stream, after it has waited. Who has lost the Lease does not let
// COMMANDs end by themselves: another replica may run them already.
func (r *replica) lead(leading context.Context, waited time.Duration) error {
	r.health.is(func() bool { return false }) // until the stream says so
	defer context.AfterFunc(leading, func() {
		if errors.As(context.Cause(leading), new(*leader.LostError)) && r.streams.Processes != nil {
			r.streams.Processes.Kill()
		}
	})()
	stream := *r.tailOptions
	if r.timeout > 0 {
		stream.timeout = max(r.timeout-waited, 1) // 0 is never
	}
	return stream.Run(leading)
}

// election is how this process stands for leader. waits gets who leads instead.
func (r *replica) election(waits func(holder string)) (leader.Options, error) {
	console := r.streams.Console
	leases, namespace, err := leases(r.resources.Connection, r.lease)
	if err != nil {
		return leader.Options{}, err
	}
	identity, err := leader.Identity()
	if err != nil {
		return leader.Options{}, fmt.Errorf("--leader-elect: this host has no name: %w", err)
	}
	return leader.Options{
		Client: leases, Namespace: namespace, Name: r.lease, Identity: identity,
		Asked: func(answered bool) { r.health.is(func() bool { return answered }) },
		Waiting: func(holder string) {
			waits(holder)
			console.Say("waiting to become the leader: lease %s/%s is held by %s", namespace, r.lease, holder)
		},
		Leading: func() { console.Say("leading: lease %s/%s is held by this process, %s", namespace, r.lease, identity) },
		Retrying: func(err error) {
			console.Say("cannot reach the lease %s/%s, retrying: %s", namespace, r.lease, process.Words(err))
		},
	}, nil
}

// leases returns the client of one Lease in the namespace of the context. It is the
// only client that may write, and has nothing in common with those that read.
func leases(c *question.Connection, name string) (coordinationv1client.LeasesGetter, string, error) {
	loader := c.Flags.ToRawKubeConfigLoader()
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", err
	}
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, "", err
	}
	config = new(client.Connection).ConfigureLease(config, namespace, name)
	config.Timeout = leader.RequestTimeout
	config.WarningHandler = c.Console.Server
	leases, err := coordinationv1client.NewForConfig(config)
	return leases, namespace, err
}

// leaseError is why this replica cannot even wait to lead.
type leaseError struct{ refused *leader.Error }

func (e leaseError) Error() string { return e.refused.Error() }
func (e leaseError) Unwrap() error { return e.refused }

// Hint names the RBAC rules that leader election takes. To create cannot be granted by name.
func (e leaseError) Hint() string {
	if !apierrors.IsForbidden(e.refused.Err) {
		return ""
	}
	const lease = `apiGroups: ["coordination.k8s.io"], resources: ["leases"]`
	return fmt.Sprintf("hint: this needs a Role with the rules {%s, verbs: [get, update], resourceNames: [%q]} and {%s, verbs: [create]} in namespace %q",
		lease, e.refused.Name, lease, e.refused.Namespace)
}
