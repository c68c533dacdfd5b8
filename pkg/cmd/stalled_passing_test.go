package cmd

import (
	"errors"
	"io"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

func TestDiscoveryIsRetriedForWhatPassesAndForNothingElse(t *testing.T) {
	failed := func(reason error) error {
		return &resolve.DiscoveryError{Failed: map[schema.GroupVersion]error{{Group: "a.b", Version: "v1"}: reason}}
	}
	for name, test := range map[string]struct {
		err        error
		unresolved []error
		want       bool
	}{
		"no error":                         {nil, nil, false},
		"an unknown type":                  {errors.New(`the server doesn't have a resource type "x"`), nil, false},
		"a cut answer":                     {io.ErrUnexpectedEOF, nil, true},
		"a server that starts":             {apierrors.NewServiceUnavailable("starting"), nil, true},
		"a wrong token":                    {apierrors.NewUnauthorized("no"), nil, false},
		"a wrong token, not in JSON":       {apierrors.NewGenericServerResponse(401, "get", schema.GroupResource{}, "", "no", 0, true), nil, false},
		"a group whose server is down":     {failed(apierrors.NewServiceUnavailable("down")), nil, false},
		"a group whose answer was cut off": {failed(io.ErrUnexpectedEOF), nil, true},
		"the same, beside others":          {nil, []error{failed(io.ErrUnexpectedEOF)}, true},
	} {
		if got := passes(test.err, test.unresolved); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
