package match_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/match"
)

func TestAConditionThatIsNoneIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                 `unrecognized condition: ""`,
		"Ready":            `unrecognized condition: "Ready"`,
		"condition":        `unrecognized condition: "condition"`,
		"Rollout":          `unrecognized condition: "Rollout"`,
		"cel":              `unrecognized condition: "cel"`,
		"condition!=Ready": `unrecognized condition: "condition!=Ready"`,
		"Condition=Ready":  `unrecognized condition: "Condition=Ready"`,
		// An empty name, of a variable that is not set, was waited for.
		"condition=":                  "condition wait format must be --for=condition=NAME or --for=condition=NAME=VALUE",
		"condition==True":             "condition wait format must be --for=condition=NAME or --for=condition=NAME=VALUE",
		"condition=!=True":            "condition wait format must be --for=condition=NAME or --for=condition=NAME=VALUE",
		"jsonpath=.status.phase!=":    "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
		"jsonpath=.status.phase!=a=b": "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
		"jsonpath=!=a":                "jsonpath expression cannot be empty",
		"cel=object.":                 "--for=cel: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^",
		"cel=1":                       "--for=cel: ERROR: <input>:1:1: must be bool, but is int\n | 1\n | ^",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := match.DefaultCostLimit.ParseFor([]string{"create", text}, false)
			if err == nil || err.Error() != want {
				t.Errorf("got %v\nwant %s", err, want)
			}
		})
	}
	if _, err := match.DefaultCostLimit.ParseFor(nil, false); err == nil || err.Error() != "--for is missing: say what to wait for, as in --for=condition=Ready" {
		t.Errorf("none at all: got %v", err)
	}
}

const rollout = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, generation: 2}
spec: {replicas: 3, paused: false, ratio: 0.5, big: 9007199254740993, empty: "", nothing: null}
status:
  phase: Pending
  readyReplicas: 2
  containers: [{name: a, ready: true}, {name: b, ready: false}]
  none: []
  conditions:
  - {type: Available, status: "False", reason: MinimumReplicasUnavailable, observedGeneration: 2}
  - {type: Progressing, status: "True", observedGeneration: 1}
  - {type: Failed, status: "False"}
`

func TestWhatAnObjectHasInstead(t *testing.T) {
	row := rowOf(t, rollout)
	for text, want := range map[string]string{
		"create":                                                   "",
		"CREATE":                                                   "",
		"delete":                                                   "still exists",
		"condition=Available":                                      "Available=False (MinimumReplicasUnavailable)",
		"condition=available=false":                                "",
		"condition=Available=":                                     "Available=False (MinimumReplicasUnavailable)",
		"condition=Available!=True":                                "",
		"condition=Available!=False":                               "Available=False (MinimumReplicasUnavailable)",
		"condition=Failed=False":                                   "",
		"condition=Missing":                                        "no condition Missing",
		"condition=Missing!=True":                                  "",
		"condition=Progressing":                                    "Progressing=True of generation 1, not 2",
		"condition=Progressing!=False":                             "Progressing=True of generation 1, not 2",
		"jsonpath={.status.phase}=Pending":                         "",
		"jsonpath={.status.phase}=Running":                         `.status.phase is "Pending", not "Running"`,
		"jsonpath=status.phase=Running":                            `.status.phase is "Pending", not "Running"`,
		"jsonpath=.status.phase='Running'":                         `.status.phase is "Pending", not "Running"`,
		"jsonpath={.status.phase}!=Running":                        "",
		"jsonpath=.status.phase!=Pending":                          `.status.phase is "Pending"`,
		"jsonpath=.status.readyReplicas=3":                         ".status.readyReplicas is 2, not 3",
		"jsonpath=.status.readyReplicas!=2":                        ".status.readyReplicas is 2",
		"jsonpath=.spec.paused=true":                               ".spec.paused is false, not true",
		"jsonpath=.spec.ratio=0.5":                                 "",
		"jsonpath=.spec.big=9007199254740993":                      "",
		"jsonpath=.spec.big=9007199254740992":                      ".spec.big is 9007199254740993, not 9007199254740992",
		"jsonpath=.spec.nothing=x":                                 ".spec.nothing is null, not x",
		"jsonpath=.spec.nothing":                                   "",
		"jsonpath=.spec.empty":                                     "",
		"jsonpath=.spec.missing":                                   ".spec.missing is not set",
		"jsonpath=.spec.missing=x":                                 ".spec.missing is not set",
		"jsonpath=.spec.missing!=x":                                "",
		"jsonpath=.status.none[0].ready=true":                      ".status.none[0].ready: array index out of bounds: index 0, length 0",
		"jsonpath=.status.none[0].ready!=true":                     ".status.none[0].ready: array index out of bounds: index 0, length 0",
		`jsonpath={.status.containers[?(@.name=="b")].ready}=true`: `.status.containers[?(@.name=="b")].ready is false, not true`,
		`jsonpath={.status.containers[?(@.name!="b")].ready}=true`: "",
		`jsonpath={.status.containers[?(@.name!="b")].ready}`:      "",
		`jsonpath=.status.containers[?(@.name>="b")].ready!=true`:  "",
		`jsonpath={.status.containers[?(@.name=="a=]b")].ready}=x`: `.status.containers[?(@.name=="a=]b")].ready is not set`,
		"cel=object.status.readyReplicas == object.spec.replicas":  "object.status.readyReplicas == object.spec.replicas is false",
		"cel=object.status.readyReplicas == 2":                     "",
		"cel=object.status.nothing == 2":                           "no such key: nothing",
		"cel=oldObject == null":                                    "",
	} {
		t.Run(text, func(t *testing.T) {
			met, why, err := mustParseFor(t, text).Check(t.Context(), row, nil)
			if err != nil || why != want || met != (want == "") {
				t.Errorf("got %v, %q, %v; want %q", met, why, err, want)
			}
		})
	}
}

func TestAConditionThatCannotBeAskedEndsTheWait(t *testing.T) {
	row := rowOf(t, rollout)
	for text, want := range map[string]string{
		"jsonpath=.status.containers[*].ready=true": "given jsonpath expression matches more than one value",
		"jsonpath=.status.containers[*].ready":      "given jsonpath expression matches more than one value",
		"jsonpath=.status=x":                        "jsonpath leads to a nested object or list which is not supported",
		"jsonpath=.status.containers!=x":            "jsonpath leads to a nested object or list which is not supported",
	} {
		if _, _, err := mustParseFor(t, text).Check(t.Context(), row, nil); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", text, err)
		}
	}
	odd := rowOf(t, `{metadata: {name: a}, status: {conditions: "\u001b[2J"}}`)
	_, _, err := mustParseFor(t, "condition=Ready").Check(t.Context(), odd, nil)
	if err == nil || !strings.Contains(err.Error(), "expected []interface{}") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("got %q", err)
	}
}

func TestAStatusOfAnOlderGenerationDoesNotCount(t *testing.T) {
	for name, test := range map[string]struct {
		manifest, text string
		met            bool
	}{
		"the status lags":                           {`{metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: A, status: "True"}]}}`, "condition=A", false},
		"the condition is newer than the status":    {`{metadata: {generation: 2}, status: {observedGeneration: 1, conditions: [{type: A, status: "True", observedGeneration: 2}]}}`, "condition=A", true},
		"the status is ahead":                       {`{metadata: {generation: 2}, status: {observedGeneration: 3, conditions: [{type: A, status: "True"}]}}`, "condition=A", true},
		"no generation":                             {`{metadata: {}, status: {observedGeneration: 3, conditions: [{type: A, status: "True"}]}}`, "condition=A", true},
		"a missing condition of a status that lags": {`{metadata: {generation: 2}, status: {observedGeneration: 1}}`, "condition=A!=True", false},
		"a missing condition of a new status":       {`{metadata: {generation: 2}, status: {observedGeneration: 2}}`, "condition=A!=True", true},
	} {
		t.Run(name, func(t *testing.T) {
			met, why, err := mustParseFor(t, test.text).Check(t.Context(), rowOf(t, test.manifest), nil)
			if met != test.met || err != nil || met == strings.Contains(why, "of generation 1, not 2") {
				t.Errorf("got %v, %q, %v", met, why, err)
			}
		})
	}
}

func TestAllOfThemOrAnyOfThem(t *testing.T) {
	row := rowOf(t, rollout)
	for _, test := range []struct {
		texts    []string
		all, any bool
		why      string
	}{
		{[]string{"create", "condition=Failed=False"}, true, true, ""},
		{[]string{"condition=Failed=False", "condition=Available"}, false, true, "Available=False (MinimumReplicasUnavailable)"},
		{[]string{"condition=Available", "jsonpath=.status.readyReplicas=3"}, false, false,
			"Available=False (MinimumReplicasUnavailable), .status.readyReplicas is 2, not 3"},
	} {
		for anyOf, want := range map[bool]bool{false: test.all, true: test.any} {
			condition, err := match.DefaultCostLimit.ParseFor(test.texts, anyOf)
			if err != nil {
				t.Fatal(err)
			}
			met, why, err := condition.Check(t.Context(), row, nil)
			if met != want || err != nil || !want && why != test.why {
				t.Errorf("%q any of %v: got %v, %q, %v", test.texts, anyOf, met, why, err)
			}
		}
	}
}

func TestWhatAnObjectHasCannotDriveATerminal(t *testing.T) {
	row := rowOf(t, `{status: {phase: "\u001b[2J\r", conditions: [{type: Ready, status: "False", reason: "\u009b31m\n"}]}}`)
	for _, text := range []string{"condition=Ready", "jsonpath=.status.phase=x", "cel=object.status.phase == 'x' && '\x1b' == ''"} {
		met, why, err := mustParseFor(t, text).Check(t.Context(), row, nil)
		if met || err != nil || why == "" || strings.ContainsAny(why, "\x1b\r\n\u009b") {
			t.Errorf("%s: got %v, %q, %v", text, met, why, err)
		}
	}
}

func TestAnObjectThatCannotBeReadIsUnmet(t *testing.T) {
	row := metadataRow("torn")
	row.Body = hookedBody{onRead: func() {}, err: errors.New("torn bytes")}
	met, why, err := mustParseFor(t, "condition=Ready").Check(t.Context(), row, nil)
	if met || why != "torn bytes" || err != nil {
		t.Errorf("got %v, %q, %v", met, why, err)
	}
	if met, _, err := mustParseFor(t, "create").Check(t.Context(), row, nil); !met || err != nil {
		t.Errorf("that it exists is known: got %v, %v", met, err)
	}
}

func TestAConditionOverAChangeSeesBothStates(t *testing.T) {
	condition := mustParseFor(t, "cel=oldObject != null && object.status.phase != oldObject.status.phase")
	before, after := pod(t, "a", `status: {phase: Pending}`), pod(t, "a", `status: {phase: Running}`)
	if met, _, err := condition.Check(t.Context(), after, before); !met || err != nil {
		t.Errorf("changed: got %v, %v", met, err)
	}
	if met, _, err := condition.Check(t.Context(), after, after); met || err != nil {
		t.Errorf("unchanged: got %v, %v", met, err)
	}
}

func TestARunawayConditionEndsWithItsContext(t *testing.T) {
	condition := mustParseFor(t, `cel=lists.range(100000).all(x, lists.range(100000).all(y, x + y >= 0))`)
	ctx, cancel := context.WithCancel(t.Context())
	row := metadataRow("a")
	row.Body = hookedBody{object: map[string]any{}, onRead: cancel}
	if met, _, err := condition.Check(ctx, row, nil); met || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", met, err)
	}
	if _, _, err := mustParseFor(t, "create").Check(ctx, row, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended wait goes on: %v", err)
	}
}
