package match

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// ParseFor makes one Condition of the values of --for, all of which have to
// hold at once, or any one of them with anyOf. They are those of kubectl wait,
// with kubectl's errors: create, delete, condition=NAME[=VALUE] and
// jsonpath=EXPR[=VALUE]; also condition=NAME!=VALUE, jsonpath=EXPR!=VALUE and
// cel=EXPR, which may cost as much as DefaultCostLimit for an object. See
// cmd/wait/wait.go in kubectl for what is the same.
func ParseFor(texts []string, anyOf bool) (*Condition, error) {
	return DefaultCostLimit.ParseFor(texts, anyOf)
}

// ParseFor is the function ParseFor with another limit.
func (l CostLimit) ParseFor(texts []string, anyOf bool) (*Condition, error) {
	if len(texts) == 0 {
		return nil, fmt.Errorf("unrecognized condition: %q", texts)
	}
	c := &Condition{anyOf: anyOf, limit: l}
	for _, text := range texts {
		parsed, err := parseTerm(text, l)
		if err != nil {
			return nil, err
		}
		c.terms = append(c.terms, parsed)
	}
	return c, nil
}

func parseTerm(text string, limit CostLimit) (term, error) {
	switch strings.ToLower(text) {
	case "create":
		return created{}, nil
	case "delete":
		return deleted{}, nil
	}
	kind, rest, given := strings.Cut(text, "=")
	switch {
	case given && kind == "condition":
		return parseStatusCondition(rest)
	case given && kind == "jsonpath":
		return parsePathCondition(rest)
	case given && kind == "cel":
		compiled, err := compileExpression(rest, ObjectAndOld, limit)
		if err != nil {
			return nil, fmt.Errorf("--for=cel: %w", err)
		}
		return celTerm{compiled}, nil
	}
	return nil, fmt.Errorf("unrecognized condition: %q", text)
}

// parseStatusCondition refuses an empty name, as an unset variable of a shell
// leaves it: no condition has it. kubectl waits for it.
func parseStatusCondition(text string) (term, error) {
	name, value, given := strings.Cut(text, "=")
	negated := false
	if given {
		name, negated = strings.CutSuffix(name, "!")
	} else {
		value = "true"
	}
	if name == "" {
		return nil, errors.New("condition wait format must be --for=condition=NAME or --for=condition=NAME=VALUE")
	}
	return statusCondition{name: name, value: value, negated: negated}, nil
}

func parsePathCondition(text string) (term, error) {
	expression, operator, value := splitPath(text)
	if strings.Contains(strings.ReplaceAll(value, "==", ""), "=") {
		return nil, errors.New("jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'")
	}
	expression, err := get.RelaxedJSONPathExpression(expression)
	if err != nil {
		return nil, err
	}
	value = strings.Trim(value, `'"`)
	if operator != "" && value == "" {
		return nil, errors.New("jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3")
	}
	parsed, err := fieldpath.ParseExpression(expression)
	if err != nil {
		return nil, err
	}
	return pathCondition{path: parsed, value: value, anyValue: operator == "", negated: operator == "!="}, nil
}

// splitPath cuts EXPR, EXPR=VALUE or EXPR!=VALUE in its parts. As in kubectl, a
// double == belongs to EXPR; so does, here, whatever stands in brackets, since a
// filter may compare: [?(@.type!="Ready")].
func splitPath(text string) (expression, operator, value string) {
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case text[i] == '\\', strings.HasPrefix(rest, "=="):
			i++
		case text[i] == '[':
			i = fieldpath.Bracketed(text, i) - 1
		case text[i] == '=':
			return text[:i], "=", rest[1:]
		case strings.HasPrefix(rest, "!="):
			return text[:i], "!=", rest[2:]
		}
	}
	return text, "", ""
}
