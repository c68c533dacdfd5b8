package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// takeOutUnwatchable drops the subjects that the server cannot watch, and returns
// their Targets.
func (q *question) takeOutUnwatchable() (out []cache.Target) {
	q.subjects = slices.DeleteFunc(q.subjects, func(s subject) bool {
		if !s.target.Verbs.Watch {
			out = append(out, s.target)
		}
		return !s.target.Verbs.Watch
	})
	return out
}

// cannotWatch is an error for each Target that only a list can answer.
func cannotWatch(targets []cache.Target) (refused []error) {
	for _, target := range targets {
		resource := target.Resource.GroupResource()
		refused = append(refused, fmt.Errorf(
			"%s cannot be watched: the server only lists them; \"list %s\" answers once", resource, resource))
	}
	return refused
}

// leaveOutUnwatchable drops what the server cannot watch from a stream. It returns
// an error for each Target that an argument names. Members of a category are left
// out with one notice, unless nothing is left.
func (o *tailOptions) leaveOutUnwatchable(q *question) (refused []error) {
	out := q.takeOutUnwatchable()
	if len(q.subjects) == 0 {
		return cannotWatch(out)
	}
	var named []cache.Target
	var skipped []string
	for _, target := range out {
		if resource := target.Resource.GroupResource().String(); !slices.Contains(q.resolved.FromCategory, target) {
			named = append(named, target)
		} else if !slices.Contains(skipped, resource) {
			skipped = append(skipped, resource)
		}
	}
	if len(skipped) > 0 {
		o.streams.console.warn("left out, since the server only lists them: " + strings.Join(skipped, ", "))
	}
	return cannotWatch(named)
}
