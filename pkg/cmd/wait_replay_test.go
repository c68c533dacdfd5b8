package cmd

import (
	"strings"
	"testing"
)

const aPodOfAnotherNamespace = `{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-01-01T00:02:01Z","name":"b","namespace":"batch","resourceVersion":"6","uid":"3"}},"time":"2026-01-01T00:02:01Z"}
`

const aLaterConfigMap = `{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"shop","resourceVersion":"7","uid":"4"}},"time":"2026-01-01T00:10:00Z"}
`

func TestARecordSaysWhenAConditionWasMet(t *testing.T) {
	const (
		start   = "it was met already when the record began\n"
		running = "jsonpath={.status.phase}=Running"
		pending = "jsonpath={.status.phase}=Pending"
	)
	for args, want := range map[string]struct{ stdout, stderr string }{
		"pod/a --for=" + running:                                   {"pod/a condition met at 2026-01-01T00:00:02Z\n", ""},
		"pod/a --for=" + running + " --speed 1000":                 {"pod/a condition met at 2026-01-01T00:00:02Z\n", ""},
		"pod/a --for=" + running + " -o name":                      {"pod/a\n", "condition met at 2026-01-01T00:00:02Z\n"},
		"pod/a --for=" + running + " -o jsonpath={.spec.nodeName}": {"n1", "condition met at 2026-01-01T00:00:02Z\n"},
		"pods --for=create --for=" + running + " --any-of":         {"pod/a condition met: create at 2026-01-01T00:00:01.5Z\n", start},
		"pods --for=create --count 2":                              {"pod/a condition met at 2026-01-01T00:00:03Z\npod/b condition met at 2026-01-01T00:00:03Z\n", ""},
		"pods --for=" + pending:                                    {"pod/a condition met at 2026-01-01T00:00:01.5Z\n", start},
		"pods --for=" + pending + " --by node=n2":                  {"pod/b condition met at 2026-01-01T00:00:03Z\n", ""},
		"pods --for=" + pending + " --none":                        {"", "condition met at 2026-01-01T00:00:02Z\n"},
		"pod/a --for=delete":                                       {"pod/a condition met at 2026-01-01T00:02:00Z\n", ""},
		"pod/a --for=delete --timeout 2m":                          {"pod/a condition met at 2026-01-01T00:02:00Z\n", ""},
		"pods -n shop --for=delete --by node=n1 --any":             {"pod/a condition met at 2026-01-01T00:02:00Z\n", ""},
		// By time alone: between two events, and after the last one of the type.
		"pods --for=cel=age(object)>duration('30s') --any":      {"pod/a condition met at 2026-01-01T00:00:30.000000001Z\n", ""},
		"pods --for=create --where age(object)>duration('30s')": {"pod/a condition met at 2026-01-01T00:00:30.000000001Z\n", ""},
		"pods --for=cel=age(object)>duration('5m') --any":       {"pod/b condition met at 2026-01-01T00:05:03.000000001Z\n", ""},
		// Without -n a name means the objects of each namespace.
		"pod/b --for=create": {"pod/b condition met at 2026-01-01T00:02:01Z\npod/b condition met at 2026-01-01T00:02:01Z\n", ""},
	} {
		stdout, stderr, code := askDump(t, nil, aRecord+aPodOfAnotherNamespace+aLaterConfigMap, "wait --replay - "+args)
		if stdout != want.stdout || stderr != want.stderr || code != 0 {
			t.Errorf("%s: got %d, %q, %q\nwant %q, %q", args, code, stdout, stderr, want.stdout, want.stderr)
		}
	}
}

func TestARecordSaysWhyAConditionWasNotMet(t *testing.T) {
	for args, want := range map[string]struct {
		stderr string
		code   int
	}{
		"pod/b --for=jsonpath={.status.phase}=Running":                          {"error: condition not met by the end of the record, at 2026-01-01T00:02:00Z: 0 of 1: b .status.phase is \"Pending\", not \"Running\"\n", 1},
		"pod/b -n other --for=create":                                           {"error: condition not met by the end of the record, at 2026-01-01T00:02:00Z: 0 of 1: pods \"b\" was never there\n", 1},
		"pods --for=cel=age(object)>duration('1h')":                             {"error: condition not met by the end of the record, at 2026-01-01T00:02:00Z: 0 of 1: b ", 1},
		"pod/a --for=jsonpath={.status.phase}=Failed":                           {"error: at 2026-01-01T00:02:00Z: pods \"a\" was deleted while waiting for the condition\n", 1},
		"pods --for=delete --fail-for=jsonpath={.spec.nodeName}=n2":             {"error: at 2026-01-01T00:00:03Z: pod/b in namespace \"shop\" meets --fail-for=jsonpath={.spec.nodeName}=n2: ", 4},
		"pod/a --for=delete --timeout 10s":                                      {"error: at 2026-01-01T00:00:11Z: timed out waiting for the condition: 0 of 1: a ", 124},
		"pod/a --for=jsonpath={.status.phase}=Running --timeout 0":              {"error: at 2026-01-01T00:00:01.5Z: condition not met: 0 of 1: a ", 124},
		"pod/a --for=jsonpath={.status.phase}=Running --timeout 100ms":          {"error: at 2026-01-01T00:00:01.1Z: timed out waiting for the condition: the list of pods is not complete\n", 124},
		"services --for=delete":                                                 {"error: services is not in the record: ", 1},
		"pods,services --for=create":                                            {"error: services is not in the record: ", 1},
		"pods --for=rollout":                                                    {"error: ", 1},
		"pods --for=create --used-by deployments":                               {"error: --used-by cannot be used with --replay", 1},
		"pods --for=create --metrics-file x":                                    {"error: --metrics-file cannot be used with --replay", 1},
		"pods --for=create --from x":                                            {"error: --from cannot be used with --replay", 1},
		"pods --for=cel=object.spec.nodeName.matches('n.*') --cel-cost-limit=1": {"error: at 2026-01-01T00:00:01Z: ", 1},
	} {
		stdout, stderr, code := askDump(t, nil, aRecord, "wait --replay - "+args)
		if stdout != "" || !strings.HasPrefix(stderr, want.stderr) || code != want.code {
			t.Errorf("%s: got %d, %q, %q\nwant %d, %q", args, code, stdout, stderr, want.code, want.stderr)
		}
	}
}

func TestARecordMustHaveWhatAWaitAsks(t *testing.T) {
	const header = `{"type":"RECORD","time":"2026-01-01T00:00:00Z","targets":[{"resource":"pods","apiVersion":"v1","kind":"Pod","namespaced":true}]}` + "\n"
	initial, _, _ := strings.Cut(aRecord, "\n")
	for name, test := range map[string]struct{ record, want string }{
		"times":           {withoutTimes(aRecord), "error: the record does not have the times of its events, so that it cannot say when the condition was met: "},
		"events":          {header, "error: the record has no events: it cannot say when the condition was met\n"},
		"the whole start": {header + initial + "\n" + strings.ReplaceAll(strings.Split(aRecord, "\n")[1], `"Pod"`, `"Service"`) + "\n", "error: condition not met by the end of the record, at 2026-01-01T00:00:01.5Z: the list of pods is not complete\n"},
	} {
		stdout, stderr, code := askDump(t, nil, test.record, "wait pods --for=create --replay -")
		if stdout != "" || !strings.HasPrefix(stderr, test.want) || code != 1 {
			t.Errorf("%s: got %d, %q, %q", name, code, stdout, stderr)
		}
	}
}

func TestACutRecordSaysWhenAConditionWasMet(t *testing.T) {
	const warning = "Warning: stdin: line 6, the last, was cut off and is left out\n"
	stdout, stderr, code := askDump(t, nil, aRecord+`{"type":"MODIFIED","obj`, "wait --for=delete --any --replay -")
	if stdout != "pod/a condition met at 2026-01-01T00:02:00Z\n" || stderr != warning || code != 0 {
		t.Errorf("got %d, %q, %q", code, stdout, stderr)
	}
}

// The record goes on with another type after the last event of the one that is asked for.
func TestAReplayGoesByTheClockUntilTheRecordEnds(t *testing.T) {
	stdout, stderr, code := askDump(t, nil, aRecord+aLaterConfigMap,
		"tail pods --replay - --where age(object)>duration('5m') -o jsonpath={.type}{.reason}{.object.metadata.name}{.time} --timestamps")
	const want = "ADDEDTimePassedb2026-01-01T00:05:03.000000001Z"
	if strings.TrimSpace(stdout) != want || stderr != "" || code != 0 {
		t.Errorf("got %d, %q, %q", code, stdout, stderr)
	}
}
