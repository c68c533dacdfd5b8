package match

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/kubectl/pkg/cmd/get"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// The flags that conditions are given with.
const (
	forFlag     = "--for"
	failForFlag = "--fail-for"
)

// UnknownConditionError says that a text is no condition, in kubectl's words.
type UnknownConditionError struct {
	// Flag is the one that the text was given with.
	Flag, Text string
}

func (e *UnknownConditionError) Error() string {
	return fmt.Sprintf("unrecognized condition: %q", e.Text)
}

// ParseFor makes one Condition of the values of --for, all of which have to
// hold at once, or any one of them with anyOf. They are those of kubectl wait,
// with kubectl's errors: create, delete, condition=NAME[=VALUE] and
// jsonpath=EXPR[=VALUE]; also condition=NAME!=VALUE, jsonpath=EXPR!=VALUE,
// rollout, ready, and cel=EXPR, which may cost as much as the limit for an object.
// See cmd/wait/wait.go in kubectl for what is the same.
func (l CostLimit) ParseFor(texts []string, anyOf bool) (*Condition, error) {
	if len(texts) == 0 {
		return nil, errors.New("--for is missing: say what to wait for, as in --for=condition=Ready")
	}
	return l.parse(forFlag, texts, anyOf)
}

// ParseFailFor makes one Condition of the values of --fail-for, any one of which is a
// failure. Without any, no object fails.
func (l CostLimit) ParseFailFor(texts []string) (*Condition, error) {
	return l.parse(failForFlag, texts, true)
}

func (l CostLimit) parse(flag string, texts []string, anyOf bool) (*Condition, error) {
	c := &Condition{flag: flag, anyOf: anyOf, limit: l}
	for _, text := range texts {
		parsed, err := parseTerm(flag, text, l)
		if err != nil {
			return nil, err
		}
		c.terms = append(c.terms, givenTerm{parsed, text})
	}
	return c, nil
}

func parseTerm(flag, text string, limit CostLimit) (term, error) {
	switch strings.ToLower(text) {
	case "create":
		return created{}, nil
	case "delete":
		return deleted{}, nil
	}
	switch text {
	case "rollout":
		return rolledOut{}, nil
	case "ready":
		return ready{}, nil
	}
	kind, rest, given := strings.Cut(text, "=")
	switch {
	case given && kind == "condition":
		return parseStatusCondition(flag, rest)
	case given && kind == "jsonpath":
		return parsePathCondition(flag, rest)
	case given && kind == "cel":
		compiled, err := compileExpression(rest, ObjectAndOld, limit)
		if err != nil {
			return nil, fmt.Errorf("%s=cel: %w", flag, err)
		}
		return celTerm{compiled}, nil
	}
	return nil, &UnknownConditionError{Flag: flag, Text: text}
}

// parseStatusCondition refuses an empty name, as an unset variable of a shell
// leaves it: no condition has it. kubectl waits for it.
func parseStatusCondition(flag, text string) (term, error) {
	name, value, given := strings.Cut(text, "=")
	negated := false
	if given {
		name, negated = strings.CutSuffix(name, "!")
	} else {
		value = "true"
	}
	if name == "" {
		return nil, fmt.Errorf("condition wait format must be %[1]s=condition=NAME or %[1]s=condition=NAME=VALUE", flag)
	}
	return statusCondition{name: name, value: value, negated: negated}, nil
}

func parsePathCondition(flag, text string) (term, error) {
	expression, operator, value := splitPath(text)
	if strings.Contains(strings.ReplaceAll(value, "==", ""), "=") {
		return nil, fmt.Errorf("jsonpath wait format must be %[1]s=jsonpath='{.status.readyReplicas}'=3 or %[1]s=jsonpath='{.status.readyReplicas}'", flag)
	}
	expression, err := get.RelaxedJSONPathExpression(expression)
	if err != nil {
		return nil, err
	}
	value = strings.Trim(value, `'"`)
	if operator != "" && value == "" {
		return nil, fmt.Errorf("jsonpath wait has to have a value after equal sign, like %s=jsonpath='{.status.readyReplicas}'=3", flag)
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
