package question

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

func target(resource string) cache.Target {
	return cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: resource}}
}

func in(context string, t cache.Target) cache.Target {
	t.Context = context
	return t
}

func TestNewsOfSeveralTargetsIsOneLine(t *testing.T) {
	pods, maps, secrets := target("pods"), target("configmaps"), target("secrets")
	refused, reset, unavailable := errors.New("connection refused"), errors.New("reset"), apierrors.NewServiceUnavailable("503")
	for name, test := range map[string]struct {
		events [][]cache.Event // each second some
		want   string
	}{
		"the server is lost to all": {[][]cache.Event{
			{{Type: cache.Lost, Target: pods, Err: reset}, {Type: cache.Lost, Target: maps, Err: refused}, {Type: cache.Lost, Target: secrets, Err: refused}},
			{{Type: cache.Connected, Target: maps, Gap: time.Second}, {Type: cache.Connected, Target: pods, Gap: 1500 * time.Millisecond}, {Type: cache.Connected, Target: secrets, Gap: time.Second}},
		}, "connection lost: error: connection refused; reconnecting\nconnection is back after 1.5s\n"},
		"one type mutes no other": {[][]cache.Event{
			{{Type: cache.Lost, Target: pods, Err: unavailable}},
			{{Type: cache.Lost, Target: maps, Err: refused}, {Type: cache.Lost, Target: secrets, Err: refused}},
			{{Type: cache.Connected, Target: maps, Gap: 45 * time.Second}, {Type: cache.Connected, Target: secrets, Gap: time.Second}},
		}, "connection lost for pods: Error from server (ServiceUnavailable): 503; reconnecting\nconnection lost: error: connection refused; reconnecting\n" +
			"connection is back for configmaps, secrets after 45s\n"},
		"a loss that nobody knows of is not said to be over": {[][]cache.Event{
			{{Type: cache.Connected, Target: pods, Gap: 4500 * time.Millisecond}},
			{{Type: cache.Connected, Target: pods, Gap: 12 * time.Second}, {Type: cache.Connected, Target: maps, Gap: 3 * time.Second}, {Type: cache.Connected, Target: secrets, Gap: 3 * time.Second}},
		}, "connection interrupted for pods: back after 4.5s\nconnection interrupted: back after 12s\n"},
		"a loss, a return and another loss are three lines": {[][]cache.Event{
			{{Type: cache.Lost, Target: maps, Err: refused}},
			{{Type: cache.Lost, Target: pods, Err: refused}, {Type: cache.Connected, Target: pods, Gap: time.Second}, {Type: cache.Lost, Target: pods, Err: reset}},
			{{Type: cache.Connected, Target: maps, Gap: time.Second}, {Type: cache.Connected, Target: pods, Gap: time.Second}},
		}, "connection lost for configmaps: error: connection refused; reconnecting\n" +
			"connection lost for pods: error: connection refused; reconnecting\n" +
			"connection is back for pods after 1.0s\n" +
			"connection lost for pods: error: reset; reconnecting\n" +
			"connection is back for configmaps, pods after 1.0s\n"},
		"what waits is said before an end": {[][]cache.Event{
			{{Type: cache.Lost, Target: pods, Err: unavailable}, {Type: cache.Ended, Target: pods, Err: refused}},
		}, "connection lost for pods: Error from server (ServiceUnavailable): 503; reconnecting\nerror: connection refused\n"},
		"what breaks in one cluster is not said of another": {[][]cache.Event{
			{{Type: cache.Lost, Target: in("west", pods), Err: refused}},
			{{Type: cache.Lost, Target: in("east", pods), Err: reset}, {Type: cache.Lost, Target: in("west", maps), Err: refused}},
			{{Type: cache.Connected, Target: in("west", pods), Gap: time.Second}, {Type: cache.Connected, Target: in("west", maps), Gap: 2 * time.Second}},
			{{Type: cache.Gone, Target: in("west", maps)}},
		}, "connection lost for pods in context \"west\": error: connection refused; reconnecting\n" +
			"connection lost for pods in context \"east\": error: reset; reconnecting\n" +
			"connection lost for configmaps in context \"west\": error: connection refused; reconnecting\n" +
			"connection is back for pods, configmaps in context \"west\" after 2.0s\n" +
			"the server no longer has the resource type \"configmaps\" in context \"west\"; looking for it again\n"},
		"first lists that are retried": {[][]cache.Event{
			{{Type: cache.Retrying, Target: pods, Err: unavailable}, {Type: cache.Retrying, Target: maps, Err: unavailable}},
		}, "waiting for pods, configmaps: Error from server (ServiceUnavailable): 503; trying again\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stderr bytes.Buffer
				c := NewConnections(process.NewConsole(process.Streams{IOStreams: genericiooptions.IOStreams{ErrOut: &stderr}}), true, []cache.Target{pods, maps, secrets})
				for _, events := range test.events {
					for _, event := range events {
						c.See(event)
					}
					time.Sleep(returnWindow)
					synctest.Wait()
				}
				c.Close()
				if got := stderr.String(); got != test.want {
					t.Errorf("got\n%swant\n%s", got, test.want)
				}
			})
		})
	}
}

func TestTargetsAreSettledWhenEachHasSyncedOrEnded(t *testing.T) {
	pods, maps := target("pods"), target("configmaps")
	c := NewConnections(process.NewConsole(process.Streams{IOStreams: genericiooptions.IOStreams{ErrOut: &bytes.Buffer{}}}), false, []cache.Target{pods, maps})
	c.See(cache.Event{Type: cache.Synced, Target: pods})
	if c.Settled() || len(c.Unsynced()) != 1 {
		t.Error("settled before configmaps")
	}
	c.See(cache.Event{Type: cache.Ended, Target: maps, Err: errors.New("forbidden")})
	if !c.Settled() || len(c.Unsynced()) != 0 {
		t.Error("not settled")
	}
}
