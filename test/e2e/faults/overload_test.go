package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
)

const waiting = "waiting for configmaps: "

// overloads are the answers of servers that will do better in a moment.
func overloads() map[string]http.Handler {
	return map[string]http.Handler{
		"too many requests": faultproxy.Status(apierrors.NewTooManyRequests("too many requests, please try again later", 1).ErrStatus),
		"unavailable":       faultproxy.Status(apierrors.NewServiceUnavailable("the server is currently unable to handle the request").ErrStatus),
		"a page of a proxy": faultproxy.Code(http.StatusBadGateway),
	}
}

// An informer tries again, but hides why it takes so long; a bare client does
// not try again.
func TestOverloadIsReportedAndOutlived(t *testing.T) {
	t.Parallel()
	for name, answer := range overloads() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, namespace := stage.server.httpProxy(t), stage.server.newNamespace(t)
			stage.server.configMaps(t, namespace).create("a", "b")
			user := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace))

			proxy.Answer(faultproxy.List("configmaps"), 2, answer)
			list := user.informer("list", "configmaps", "-o", "name")
			if list.Code != 0 || list.Stdout != "configmap/a\nconfigmap/b\n" {
				t.Errorf("list: got %+v", list)
			}
			checkSays(t, lines(list.Stderr), waiting)

			proxy.Answer(faultproxy.List("configmaps"), 2, answer)
			tail := user.informer("tail", "configmaps", "-o", "json", "--max-events", "2")
			if told := story(t, lines(tail.Stdout)); tail.Code != 0 || len(told) != 2 {
				t.Errorf("tail: got %+v", tail)
			}
			checkSays(t, lines(tail.Stderr), waiting)
		})
	}
}

// A server that stays overloaded is given up on, with its last words.
func TestOverloadIsWaitedForUntilTheSyncTimeout(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.httpProxy(t), stage.server.newNamespace(t)
	user := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace))
	proxy.Answer(faultproxy.List("configmaps"), faultproxy.Always, faultproxy.Code(http.StatusBadGateway))
	for _, command := range []string{"list", "tail"} {
		result := user.informer(command, "configmaps", "--sync-timeout", "2s")
		if result.Code != 124 {
			t.Errorf("%s: got exit code %d, want 124", command, result.Code)
		}
		checkSays(t, lines(result.Stderr), waiting, "error: timed out waiting for configmaps in namespace "+fmt.Sprintf("%q", namespace)+" to sync: no progress for 2s: ")
	}
}

// expiring holds a watch open, and ends it with 410 when told to.
func expiring(expire <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		select {
		case <-expire:
		case <-r.Context().Done():
			return
		}
		status := apierrors.NewResourceExpired("too old resource version: 1 (2)").ErrStatus
		status.Kind, status.APIVersion = "Status", "v1"
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "ERROR", "object": status}) // fails when the client has gone
	})
}

// A watch that expires is followed by a list, of which most has been told before.
func TestExpiredWatchReportsEachChangeOnce(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.httpProxy(t), stage.server.newNamespace(t)
	cms := stage.server.configMaps(t, namespace)
	cms.create("changed", "deleted", "same")
	user := stage.server.user(t, cluster.Admin, through(proxy.URL()), in(namespace))

	expire := make(chan struct{})
	proxy.Answer(faultproxy.Watch("configmaps"), 1, expiring(expire))
	tail := user.tail("configmaps", "-o", "json")
	tail.untilTold("ADDED same initial")
	cms.change("changed")
	cms.delete("deleted")
	eventually(t, func() error {
		if proxy.Count(faultproxy.Watch("configmaps")) == 0 {
			return fmt.Errorf("no watch yet")
		}
		return nil
	})
	close(expire)
	tail.untilTold("MODIFIED changed")
	tail.untilTold("DELETED deleted finalStateUnknown")

	// Now a watch is refused, which was open and has ended.
	proxy.Forget()
	proxy.Answer(faultproxy.Watch("configmaps"), 1, faultproxy.Status(apierrors.NewResourceExpired("too old resource version").ErrStatus))
	cms.create("last")
	tail.untilTold("ADDED last")
	tail.says()
	if want, got := 5+1, len(tail.Lines()); got != want {
		t.Errorf("told %d events, want %d: %q", got, want, tail.Lines())
	}
	tail.endsBy(syscall.SIGINT)
}

// A gateway in front of a server that is down answers with pages of its own, to
// the questions for types too.
func TestGatewaysPageIsNoAnswer(t *testing.T) {
	t.Parallel()
	proxy := stage.server.httpProxy(t)
	proxy.Answer(faultproxy.Any, faultproxy.Always, faultproxy.Code(http.StatusBadGateway))
	user := stage.server.user(t, cluster.Admin, through(proxy.URL()))
	want := lastLine(user.kubectl("get", "pods").Stderr)
	for _, command := range []string{"list", "tail"} {
		// It may be a server that starts: it is asked again, for five seconds.
		checkSays(t, user.refused(command, "pods"), "waiting for the resource types of the server: "+want, want)
	}
}
