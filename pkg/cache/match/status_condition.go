package match

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

// statusCondition is --for=condition=NAME=VALUE, and != where negated. A
// condition that the object does not have is not VALUE. The rules are those of
// kubectl's cmd/wait/condition.go.
type statusCondition struct {
	name, value string
	negated     bool
}

func (s statusCondition) reads() reads { return reads{form: cache.Whole} }

func (s statusCondition) check(_ context.Context, in input) (finding, error) {
	condition, err := s.find(in.object)
	if err != nil {
		return finding{}, errors.New(printable(err.Error()))
	}
	found := finding{what: "no condition " + s.name}
	if condition != nil {
		found = describe(condition)
	}
	if observed, generation, lags := lag(in.object, condition); lags {
		return finding{what: fmt.Sprintf("%s of generation %d, not %d", found.brief(), observed, generation)}, nil
	}
	status, _ := condition["status"].(string)
	equal := condition != nil && strings.EqualFold(status, s.value)
	found.met = equal != s.negated
	return found, nil
}

// find returns the first condition of that name, in any case, that has a status;
// nil where there is none.
func (s statusCondition) find(object map[string]any) (map[string]any, error) {
	value, found, err := unstructured.NestedFieldNoCopy(object, "status", "conditions")
	if err != nil || !found {
		return nil, err
	}
	conditions, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf(".status.conditions accessor error: %v is of the type %T, expected []interface{}", value, value)
	}
	for _, one := range conditions {
		condition, _ := one.(map[string]any)
		name, ok := condition["type"].(string)
		if _, hasStatus := condition["status"].(string); ok && hasStatus && strings.EqualFold(name, s.name) {
			return condition, nil
		}
	}
	return nil, nil
}

// lag says whether the condition, or the status as a whole where the condition
// does not say, is about an older generation of the object.
func lag(object, condition map[string]any) (observed, generation int64, lags bool) {
	generation, found, _ := unstructured.NestedInt64(object, "metadata", "generation")
	if !found {
		return 0, 0, false
	}
	observed, found, _ = unstructured.NestedInt64(condition, "observedGeneration")
	if !found {
		observed, found, _ = unstructured.NestedInt64(object, "status", "observedGeneration")
	}
	return observed, generation, found && observed < generation
}

// describe says a condition as people write it: Ready=False (ContainersNotReady).
func describe(condition map[string]any) finding {
	found := finding{what: fmt.Sprintf("%v=%v", condition["type"], condition["status"])}
	found.reason, _ = condition["reason"].(string)
	found.message, _ = condition["message"].(string)
	return found
}
