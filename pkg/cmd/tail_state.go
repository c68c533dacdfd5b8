package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/state"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// stateFlags are the flags of a stream that goes on from one run to the next.
type stateFlags struct {
	file        string
	untilSynced bool
}

func (f *stateFlags) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.file, "state", "",
		"Keep in this file what has been reported, or handled by the COMMAND without failure. The next run with it reports what was added, changed and deleted since, marked \"since\":\"state\", and nothing that did not change. A run that is killed loses nothing; the next one may repeat its last events.")
	flags.BoolVar(&f.untilSynced, "until-synced", false,
		"End when the objects that exist have been reported, and handled by the COMMAND. With --state: report what changed since the last run, and end. No watch is opened.")
	_ = cmd.MarkFlagFilename("state")
}

// validate says what cannot be meant.
func (f *stateFlags) validate(cmd *cobra.Command) error {
	switch {
	case f.file == "" && cmd.Flags().Changed("state"):
		return errors.New("--state needs the name of a FILE")
	case f.file != "" && cmd.Flags().Changed("record"):
		return errors.New("--record cannot be used with --state: a record begins with all that is there")
	case f.untilSynced && cmd.Flags().Changed("resync"):
		return errors.New("--resync cannot be used with --until-synced: the stream ends when all has been reported once")
	case f.untilSynced && cmd.Flags().Changed("verify-every"):
		return errors.New("--verify-every cannot be used with --until-synced: the stream ends when the list is complete")
	case f.untilSynced && f.file == "" && cmd.Flags().Changed("watch-only"):
		return errors.New("--watch-only with --until-synced needs --state: there is nothing else to report")
	}
	return nil
}

// stateKeeper is what a stream keeps of what it reports, and what earlier runs have kept.
// Without --state it keeps nothing.
type stateKeeper struct {
	file    *state.File
	journal *state.Journal
	// compared is the form in which objects are compared with those of earlier runs.
	compared cache.Representation
	// forms are those in which the stream keeps objects.
	forms map[cache.Target]cache.Representation
}

// remember opens the state, which end is called for when it cannot be written any more.
func (o *tailOptions) remember(ctx context.Context, q *question.Question, k *stateKeeper, end context.CancelCauseFunc) error {
	if o.state.file == "" {
		return nil
	}
	cluster, err := clusterOf(ctx, q)
	if err != nil {
		return err
	}
	began := time.Now()
	k.file, err = state.Open(o.state.file, state.Question{
		Cluster:      cluster,
		Targets:      q.Targets(),
		FromCategory: q.Resolved.FromCategory,
		Unresolved:   len(q.Resolved.Unresolved) > 0,
		Narrowed:     o.resources.Narrowed,
	})
	if err != nil {
		return err
	}
	klog.V(4).Infof("state: %s was read and checked in %v", o.state.file, time.Since(began))
	k.compared, k.forms = o.comparedForm(), map[cache.Target]cache.Representation{}
	k.journal = state.NewJournal(k.file, end)
	q.Keeper = k
	return nil
}

// comparedForm is what is read of an object as it was before.
func (o *tailOptions) comparedForm() (form cache.Representation) {
	if o.comparing {
		form |= cache.Whole
	}
	if o.print.Old {
		form |= o.output.EventNeeds() &^ cache.ManagedFields
	}
	if where := o.resources.Where; where.ReadsOld() {
		form |= where.Needs()
	}
	return form
}

// kubeSystem is the namespace that every cluster has, and whose uid tells it apart.
func kubeSystem() cache.Target {
	return cache.Target{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"},
		Kind:     schema.GroupVersionKind{Version: "v1", Kind: "Namespace"},
		Name:     "kube-system", Verbs: cache.Verbs{Get: true, List: true, Watch: true},
	}
}

// clusterOf is the cluster that is asked. Who may not read kube-system knows it by its
// address and its certificates.
func clusterOf(ctx context.Context, q *question.Question) (state.Cluster, error) {
	config, err := q.Connection.Flags.ToRESTConfig()
	if err != nil {
		return state.Cluster{}, err
	}
	config = rest.CopyConfig(config)
	if err := rest.LoadTLSFiles(config); err != nil {
		return state.Cluster{}, err
	}
	cluster := state.Cluster{Server: process.WithoutUserinfo(config.Host)}
	if len(config.CAData) > 0 {
		sum := sha256.Sum256(config.CAData)
		cluster.Authority = hex.EncodeToString(sum[:])
	}
	rows, err := q.LookIn(ctx, kubeSystem(), cache.Metadata)
	var failure *cache.SyncError
	switch {
	case err == nil && len(rows) > 0:
		cluster.UID = string(rows[0].UID)
	case errors.As(err, &failure) && (failure.Fault == cache.Denied || failure.Fault == cache.Missing):
	case err != nil:
		return cluster, fmt.Errorf("cannot see which cluster this is, for --state: %w", err)
	}
	return cluster, nil
}

// Resume is what earlier runs have reported of a Target, and notes in which form the
// stream keeps its objects.
func (k *stateKeeper) Resume(target cache.Target, form cache.Representation) (*cache.Earlier, error) {
	k.forms[target] = form
	section := k.file.Section(target)
	if !section.Has(k.compared) {
		return nil, fmt.Errorf("the state file %s has no whole objects of %s, with which --diff, --changed, --old and oldObject compare: "+
			"it was kept with another output; run once with -o json and without these, or name another FILE", k.file.Path(), target)
	}
	return section.Earlier(), nil
}

// begin writes, before events are reported, what could be lost between that and their
// being noted. It returns when that is on disk.
func (k *stateKeeper) begin(events []printers.PreparedEvent) error {
	if !k.keeps() || len(events) == 0 {
		return nil
	}
	begun := false
	for _, event := range events {
		change, needed := k.beginning(event.Event)
		if needed {
			begun = true
			k.journal.Later(change)
		}
	}
	if begun {
		if err := k.journal.Commit(); err != nil {
			return err
		}
	}
	return k.journal.Err()
}

// beginning is what is written before an event is reported: that the object is about to
// be known to the reader, or to be unknown although it lives on.
func (k *stateKeeper) beginning(event cache.Event) (change state.Change, needed bool) {
	switch {
	case event.Row == nil:
		return change, false
	case event.Type == cache.Added:
		return state.Change{Key: event.Key(), Row: event.Row, Form: k.forms[event.Target], Unconfirmed: true}, true
	case event.Reason == cache.NoLongerMatches:
		return state.Change{Key: event.Key(), Unconfirmed: true}, true
	}
	return change, false
}

// handled notes that a COMMAND has been run for an event, or need not be.
func (k *stateKeeper) handled(event cache.Event) {
	if k.keeps() && event.Row != nil {
		k.journal.Note(k.change(event))
	}
}

// note notes events in the order in which they came: those that have been reported, and
// those that there was nothing to report of. Of noise nothing is lost if it is written
// later, or not at all.
func (k *stateKeeper) note(events ...judged) {
	if !k.keeps() {
		return
	}
	urgent := false
	for _, event := range events {
		if event.Type == cache.Unchanged && k.file.Section(event.Target).Has(k.forms[event.Target]) {
			continue
		}
		urgent = urgent || event.verdict != noise
		k.journal.Later(k.change(event.Event))
	}
	if urgent {
		k.journal.Note()
	}
}

// change is what is stored when an event has been reported.
func (k *stateKeeper) change(event cache.Event) state.Change {
	if event.Type == cache.Deleted {
		return state.Change{Key: event.Key(), Gone: true}
	}
	return state.Change{Key: event.Key(), Row: event.Row, Form: k.forms[event.Target]}
}

// complete notes that the objects a Target started with have been reported.
func (k *stateKeeper) complete(target cache.Target) {
	if k.keeps() {
		k.journal.Complete(target)
	}
}

// close writes what is not written yet. The error is the first that the state had.
func (k *stateKeeper) close() error {
	if !k.keeps() {
		return nil
	}
	err := k.journal.Err()
	if closing := k.journal.Close(); err == nil {
		err = closing
	}
	return err
}

// endOf closes the state at the end of a stream, and returns why that ended: where the
// state cannot be written, whatever else has ended did so for that.
func (k *stateKeeper) endOf(err error) error {
	return cmp.Or(k.close(), err)
}

// keeps says whether there is a state.
func (k *stateKeeper) keeps() bool { return k != nil && k.journal != nil }
