package resolve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// ahmetb/kubectl-tree PR#67: one unavailable API made everything fail, although
// the type asked for was healthy.
func TestBrokenGroupDoesNotHideHealthyTypes(t *testing.T) {
	server := startAPIServer(t, stock())
	server.serve(stock(), "metrics.k8s.io/v1beta1")
	for range 2 {
		result, err := New(server.connect()).Resolve(t.Context(), args("pods,no"))
		if err != nil || len(result.Targets) != 2 || len(result.Warnings) > 0 {
			t.Errorf("%q, %q, %v", allWords(result.Targets), result.Warnings, err)
		}
	}
	if asked := server.asked(); !slices.Equal(asked, []string{"/api", "/apis"}) {
		t.Errorf("asked for %q", asked)
	}
}

func TestTypeOfABrokenGroupIsNotCalledUnknown(t *testing.T) {
	const reason = "the server is currently unable to handle the request"
	const failed = "unable to retrieve the complete list of server APIs: "
	for _, test := range []struct{ args, want string }{
		{"nodes.metrics.k8s.io", `unable to look up resource type "nodes.metrics.k8s.io": ` + failed + "metrics.k8s.io/v1beta1: " + reason},
		{"nodes.v1beta1.metrics.k8s.io", `unable to look up resource type "nodes.v1beta1.metrics.k8s.io": ` + failed + "metrics.k8s.io/v1beta1: " + reason},
		{"nodes.metrics/n1", `unable to look up resource type "nodes.metrics": ` + failed + "metrics.k8s.io/v1beta1: " + reason},
		{"deployments.v1beta1.apps", `unable to look up resource type "deployments.v1beta1.apps": ` + failed + "apps/v1beta1: " + reason},
		{"nodemetrics", `unable to look up resource type "nodemetrics": ` + failed + "apps/v1beta1: " + reason + ", metrics.k8s.io/v1beta1: " + reason},
		// No broken group can be meant: the type is unknown, and nothing else.
		{"nope.storage", `the server doesn't have a resource type "nope" in group "storage"`},
		{"nope.v1.apps", `the server doesn't have a resource type "nope" in group "v1.apps"`},
	} {
		server := startAPIServer(t, stock())
		server.warm(t)
		server.serve(stock(), "metrics.k8s.io/v1beta1", "apps/v1beta1")
		_, err := New(server.connect()).Resolve(t.Context(), args(test.args))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: error\n%v, want\n%s", test.args, err, test.want)
		}
	}
}

func TestBrokenGroupIsNamedToPrograms(t *testing.T) {
	server := startAPIServer(t, stock())
	server.serve(stock(), "metrics.k8s.io/v1beta1")
	_, err := New(server.connect()).Resolve(t.Context(), args("nodes.metrics.k8s.io"))
	var failed *DiscoveryError
	if !errors.As(err, &failed) || !errors.Is(err, &discovery.ErrGroupDiscoveryFailed{}) {
		t.Fatalf("error %v", err)
	}
	reason := failed.Failed[schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"}]
	if len(failed.Failed) != 1 || !apierrors.IsServiceUnavailable(reason) {
		t.Errorf("failed: %v", failed.Failed)
	}
}

func TestFileOfABrokenGroupIsNotCalledUnknown(t *testing.T) {
	server := startAPIServer(t, stock())
	server.serve(stock(), "example.com/v1")
	files := filesOf(t, unknown)
	_, err := New(server.connect()).Resolve(t.Context(), Request{Files: files})
	want := `unable to recognize "` + files.Filenames[0] + `": unable to look up resource type "Widget.example.com": ` +
		"unable to retrieve the complete list of server APIs: example.com/v1: the server is currently unable to handle the request"
	if err == nil || err.Error() != want {
		t.Errorf("error\n%v, want\n%s", err, want)
	}
}

func TestFileOfAHealthyVersionIsUnknownWhateverElseIsBroken(t *testing.T) {
	server := startAPIServer(t, stock())
	server.serve(with(list("example.com/v1", kind("things", "thing", "Thing"))), "example.com/v1beta1")
	_, err := New(server.connect()).Resolve(t.Context(), Request{Files: filesOf(t, unknown)})
	if err == nil || !strings.Contains(err.Error(), `no matches for kind "Widget" in version "example.com/v1"`) {
		t.Errorf("error %v", err)
	}
}

// Discovery that is not aggregated names the failures itself.
func TestReasonOfDiscoveryItselfIsKept(t *testing.T) {
	reason := errors.New("the server could not be found")
	client := &fakeDiscovery{served: stock(), failed: map[schema.GroupVersion]error{{Group: "example.com", Version: "v1"}: reason}}
	if _, err := New(connect(client)).Resolve(t.Context(), args("pods")); err != nil {
		t.Errorf("pods: %v", err)
	}
	_, err := New(connect(client)).Resolve(t.Context(), args("widgets"))
	want := `unable to look up resource type "widgets": unable to retrieve the complete list of server APIs: example.com/v1: the server could not be found`
	if err == nil || err.Error() != want {
		t.Errorf("widgets: %v, want %s", err, want)
	}
	result, err := New(connect(client)).Resolve(t.Context(), args("all"))
	if err != nil || len(result.Warnings) != 1 || result.Warnings[0] != `"all" may be incomplete: discovery failed for example.com` {
		t.Errorf("all: %q, %v", result.Warnings, err)
	}
}

// The disk cache remembers for hours that a group was broken. A category must
// not be incomplete for that long.
func TestCategoryIsCompletedWhenAGroupIsBack(t *testing.T) {
	server := startAPIServer(t, stock())
	server.serve(stock(), "example.com/v1")
	server.warm(t)
	result, err := New(server.connect()).Resolve(t.Context(), args("all"))
	if err != nil || len(result.Targets) != 4 {
		t.Fatalf("%q, %v", allWords(result.Targets), err)
	}
	if diff := cmp.Diff([]string{`"all" may be incomplete: discovery failed for example.com`}, result.Warnings); diff != "" {
		t.Errorf("while broken (-want +got):\n%s", diff)
	}
	server.serve(with(widgets()))
	result, err = New(server.connect()).Resolve(t.Context(), args("all"))
	if err != nil || len(result.Targets) != 5 || len(result.Warnings) > 0 {
		t.Errorf("when back: %q, %q, %v", allWords(result.Targets), result.Warnings, err)
	}
}

func TestAPIThatHangsDoesNotHoldUpItsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := startAPIServer(t, stock())
		server.serve(stock(), "metrics.k8s.io/v1beta1", "slow.example.com/v1")
		server.hang = true
		start := time.Now()
		_, err := New(server.connect()).Resolve(t.Context(), args("nodemetrics"))
		var failed *DiscoveryError
		if !errors.As(err, &failed) || len(failed.Failed) != 2 {
			t.Fatalf("error %v", err)
		}
		// One request used up the time; the other was not even begun.
		reasons := errors.Join(slices.Collect(maps.Values(failed.Failed))...)
		if !errors.Is(reasons, context.DeadlineExceeded) || !errors.As(reasons, &discovery.StaleGroupVersionError{}) {
			t.Errorf("reasons %v", reasons)
		}
		if took := time.Since(start); took > reasonTimeout {
			t.Errorf("took %v", took)
		}
	})
}
