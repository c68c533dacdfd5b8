package match

import (
	"errors"
	"fmt"
	"strings"
)

// ParseFor makes one Condition of the values of --for, all of which have to
// hold at once, or any one of them with anyOf. They are those of kubectl wait,
// with kubectl's errors: create, delete, condition=NAME[=VALUE] and
// jsonpath=EXPR[=VALUE]; also condition=NAME!=VALUE, jsonpath=EXPR!=VALUE and
// cel=EXPR. See cmd/wait/wait.go in kubectl for what is the same.
func ParseFor(texts []string, anyOf bool) (*Condition, error) {
	if len(texts) == 0 {
		return nil, fmt.Errorf("unrecognized condition: %q", texts)
	}
	c := &Condition{anyOf: anyOf}
	for _, text := range texts {
		parsed, err := parseTerm(text)
		if err != nil {
			return nil, err
		}
		c.terms = append(c.terms, parsed)
	}
	return c, nil
}

func parseTerm(text string) (term, error) {
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
		compiled, err := compileExpression(rest, ObjectAndOld)
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
	expression, err := relax(expression)
	if err != nil {
		return nil, err
	}
	value = strings.Trim(value, `'"`)
	if operator != "" && value == "" {
		return nil, errors.New("jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3")
	}
	parsed, err := parsePath(expression)
	if err != nil {
		return nil, err
	}
	return pathCondition{path: parsed, value: value, anyValue: operator == "", negated: operator == "!="}, nil
}

// splitPath cuts EXPR, EXPR=VALUE or EXPR!=VALUE in its parts. As in kubectl, a
// double == belongs to EXPR; so does, here, whatever stands in brackets, since a
// filter may compare: [?(@.type!="Ready")].
func splitPath(text string) (expression, operator, value string) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c, rest := text[i], text[i+1:]
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case depth > 0 && (c == '"' || c == '\''):
			quote = c
		case c == '[':
			depth++
		case c == ']' && depth > 0:
			depth--
		case depth > 0:
		case c == '=' && strings.HasPrefix(rest, "="):
			i++
		case c == '=':
			return text[:i], "=", rest
		case c == '!' && strings.HasPrefix(rest, "="):
			return text[:i], "!=", rest[1:]
		}
	}
	return text, "", ""
}
