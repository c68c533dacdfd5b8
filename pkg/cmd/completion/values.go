package completion

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
)

// Selector completes -l: the keys of the labels that the objects asked for have, then
// their values, and after a comma those of the objects that are selected so far.
func (r Resources) Selector(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	end := strings.LastIndexByte(typed, ',') + 1
	request := r.Source.Request()
	request.Args = args
	if end > 0 {
		request.LabelSelectors = append(slices.Clone(request.LabelSelectors), typed[:end-1])
	}
	labels, err := r.values(cmd.Context(), request, "label")
	if err != nil {
		return nothing(err)
	}
	operator := operatorOf(typed[end:])
	if operator == "" {
		return matching(typed, affix(typed[:end], keysOf(labels), "="), cobra.ShellCompDirectiveNoSpace)
	}
	var words []string
	for _, label := range labels {
		if key, value, valued := strings.Cut(label, "="); valued {
			words = append(words, typed[:end]+key+operator+value)
		}
	}
	return matching(typed, words, 0)
}

// operatorOf is the operator of a requirement that is being typed, if it has one yet.
func operatorOf(typed string) string {
	for _, operator := range []string{"!=", "==", "="} {
		if strings.Contains(typed, operator) {
			return operator
		}
	}
	return ""
}

// LabelKeys completes -L, a list of the keys of labels.
func (r Resources) LabelKeys(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	request := r.Source.Request()
	request.Args = args
	labels, err := r.values(cmd.Context(), request, "label")
	if err != nil {
		return nothing(err)
	}
	return matching(typed, inList(typed, keysOf(labels)), 0)
}

// keysOf are those values of the index of labels that are keys alone.
func keysOf(labels []string) (keys []string) {
	for _, label := range labels {
		if !strings.Contains(label, "=") {
			keys = append(keys, label)
		}
	}
	slices.Sort(keys)
	return keys
}

// What the conditions of a wait begin with that have more behind them.
const (
	ofStatus = "condition="
	ofPath   = "jsonpath="
)

// Condition completes a condition to wait for: one of the words that a condition can
// be, or begin with; then what the objects have in their status, or a path.
func (r Resources) Condition(words ...string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		switch {
		case strings.HasPrefix(typed, ofStatus):
			return r.statusConditions(cmd.Context(), args, typed)
		case strings.HasPrefix(typed, ofPath):
			return r.fields(cmd.Context(), args, ofPath, typed, "=")
		}
		fitting, how := matching(typed, words, 0)
		if slices.ContainsFunc(fitting, func(word string) bool { return strings.HasSuffix(word, "=") }) {
			how |= cobra.ShellCompDirectiveNoSpace
		}
		return fitting, how
	}
}

// statusConditions completes condition=TYPE, and after a second = the statuses that
// it has.
func (r Resources) statusConditions(ctx context.Context, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	request := r.Source.Request()
	request.Args = args
	conditions, err := r.values(ctx, request, "condition")
	if err != nil {
		return nothing(err)
	}
	var words []string
	for _, condition := range conditions {
		if !strings.Contains(typed[len(ofStatus):], "=") {
			condition, _, _ = strings.Cut(condition, "=")
		}
		if !slices.Contains(words, ofStatus+condition) {
			words = append(words, ofStatus+condition)
		}
	}
	slices.Sort(words)
	return matching(typed, words, 0)
}

// values are those that the objects of a request have in an index.
func (r Resources) values(ctx context.Context, request resolve.Request, index string) ([]string, error) {
	counts, err := r.Source.Counts(ctx, request, index)
	values := make([]string, len(counts))
	for n, count := range counts {
		values[n] = count.Value
	}
	return values, err
}
