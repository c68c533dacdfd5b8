package cmd

import (
	"bytes"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/question"
)

// kubernetes/kubernetes#75438: `tail all` failed for a member of the category that
// nobody had named.
func TestAMemberOfACategoryThatCannotBeWatchedIsLeftOutOfATail(t *testing.T) {
	pods, samples := somePods, cache.Target{Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "samples"}}
	pods.Verbs.Watch = true
	elsewhere := samples
	elsewhere.Namespace = "dev"
	for name, test := range map[string]struct {
		targets, members []cache.Target
		refused, kept    int
		stderr           string
	}{
		"of a category":    {[]cache.Target{pods, samples, elsewhere}, []cache.Target{pods, samples, elsewhere}, 0, 1, "Warning: left out, since the server only lists them: samples.example.com\n"},
		"named":            {[]cache.Target{pods, samples}, []cache.Target{pods}, 1, 1, ""},
		"nothing else":     {[]cache.Target{samples}, []cache.Target{samples}, 1, 0, ""},
		"all are watched":  {[]cache.Target{pods}, nil, 0, 1, ""},
		"nothing is named": {nil, nil, 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			q := &question.Question{ResourceOptions: &question.ResourceOptions{Streams: process.Streams{Console: consoleTo(&stderr)}}, Resolved: resolve.Result{FromCategory: test.members}}
			for _, target := range test.targets {
				q.Subjects = append(q.Subjects, question.Subject{Target: target})
			}
			refused := q.LeaveOutUnwatchable()
			if len(refused) != test.refused || len(q.Subjects) != test.kept || stderr.String() != test.stderr {
				t.Errorf("refused %v, kept %d, said %q", refused, len(q.Subjects), stderr.String())
			}
		})
	}
}
