package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/printers"
)

// aRecord is of a pod that is there, runs, and is deleted, and of another that comes.
const aRecord = `{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","name":"a","namespace":"shop","resourceVersion":"1","uid":"1"},"spec":{"nodeName":"n1"},"status":{"phase":"Pending"}},"initial":true,"time":"2026-01-01T00:00:01Z"}
{"type":"SYNCED","apiVersion":"v1","kind":"Pod","time":"2026-01-01T00:00:01.5Z"}
{"type":"MODIFIED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","name":"a","namespace":"shop","resourceVersion":"2","uid":"1"},"spec":{"nodeName":"n1"},"status":{"phase":"Running"}},"time":"2026-01-01T00:00:02Z"}
{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-01-01T00:00:03Z","name":"b","namespace":"shop","resourceVersion":"3","uid":"2"},"spec":{"nodeName":"n2"},"status":{"phase":"Pending"}},"time":"2026-01-01T00:00:03Z"}
{"type":"DELETED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","name":"a","namespace":"shop","resourceVersion":"5","uid":"1"},"spec":{"nodeName":"n1"},"status":{"phase":"Running"}},"time":"2026-01-01T00:02:00Z"}
`

// withoutTimes is a record as tail -o json prints it without --timestamps.
func withoutTimes(record string) string {
	var lines []string
	for line := range strings.Lines(record) {
		before, _, _ := strings.Cut(line, `,"time":`)
		lines = append(lines, before+"}\n")
	}
	return strings.Join(lines, "")
}

func TestARecordIsReplayedByteForByte(t *testing.T) {
	for _, test := range []struct{ record, args string }{
		{aRecord, "--sync-events --timestamps"}, {withoutTimes(aRecord), "--sync-events"},
	} {
		stdout, stderr, code := askDump(t, nil, test.record, "tail --replay - -o json "+test.args)
		if stdout != test.record || stderr != "" || code != 0 {
			t.Errorf("%s: got %d\n%s%s\nwant\n%s", test.args, code, stdout, stderr, test.record)
		}
	}
}

func TestAReplayIsFilteredComparedAndPrintedAsAStreamIs(t *testing.T) {
	for args, want := range map[string]string{
		"pods --by node=n2 -o name":                           "pod/b",
		"pods --events deleted -o jsonpath={.type}":           "DELETED",
		"pods --changed status.phase -o jsonpath={.type}":     "ADDED MODIFIED ADDED DELETED",
		"pods --where object.status.phase=='Running' -o name": "pod/a pod/a",
		"pod/b -o name":         "pod/b",
		"pods -n other -o name": "",
		"pods --watch-only --old -o jsonpath={.oldObject.kind}": "Pod",
		"pods --max-events 1 -o name":                           "pod/a",
		"pods --speed 1000 -o name":                             "pod/a pod/a pod/b pod/a",
		"pods --where age(object)>duration('30s') -o jsonpath={.type}{.reason}{.time} --timestamps": "ADDEDTimePassed2026-01-01T00:00:30.000000001Z ADDEDTimePassed2026-01-01T00:00:33.000000001Z DELETED2026-01-01T00:02:00Z",
		"pods --no-headers --diff": "ADDED shop a 0/0 Pending 0 1s MODIFIED shop a 0/0 Running 0 2s ~ status.phase: Pending → Running ADDED shop b 0/0 Pending 0 0s DELETED shop a 0/0 Running 0 2m",
	} {
		stdout, stderr, code := askDump(t, nil, aRecord, "tail --replay - "+args)
		if got := strings.Join(strings.Fields(stdout), " "); got != want && strings.Join(strings.Fields(got), " ") != want || code != 0 {
			t.Errorf("%s: got %d, %q %s\nwant %q", args, code, got, stderr, want)
		}
	}
}

func TestARecordIsAskedForAMoment(t *testing.T) {
	for args, want := range map[string]string{
		"pods -o name":                           "pod/b",
		"pods --at 2026-01-01T00:00:01Z -o name": "pod/a",
		"pods --at 2026-01-01T00:01:00Z --count-by node --no-headers":                "n1 1 n2 1",
		"pods --at 2026-01-01T00:01:00Z --by status.phase=Running -o name":           "pod/a",
		"pods --at 2026-01-01T00:00:13+00:00 --no-headers":                           "shop a 0/0 Running 0 13s shop b 0/0 Pending 0 10s",
		"--at 2026-01-01T00:00:02Z -o name":                                          "pod/a",
		"pods --at 2026-01-01T00:01:00Z --where age(object)<duration('58s') -o name": "pod/b",
	} {
		stdout, stderr, code := askDump(t, nil, aRecord, "list --replay - "+args)
		if got := strings.Join(strings.Fields(stdout), " "); got != want || stderr != "" || code != 0 {
			t.Errorf("%s: got %d, %q %s\nwant %q", args, code, got, stderr, want)
		}
	}
}

func TestWhatCannotBeReplayedIsRefused(t *testing.T) {
	for args, want := range map[string]string{
		"list pods --replay - --at noon":                 `--at: "noon" is not a time in RFC 3339`,
		"list pods --replay - --at 2025-01-01T00:00:00Z": "the record begins at 2026-01-01T00:00:01Z",
		"list pods --replay - -w":                        `"tail --replay" plays the events`,
		"list pods --at 2025-01-01T00:00:00Z":            "--at can only be used with --replay",
		"list pods --replay - --from x":                  "--from cannot be used with --replay",
		"tail pods --replay - --from x":                  "--from cannot be used with --replay",
		"tail pods --replay a --replay b":                "only one record can be replayed",
		"tail pods --speed 1":                            "--speed can only be used with --replay",
		"tail pods --replay - --speed -1":                "--speed must be a number that is not negative",
		"tail pods --replay - --resync 5s":               "--resync cannot be used with --replay",
		"tail pods --replay - --record x":                "the events are recorded already",
		"tail pods --replay - --unused-by jobs":          `"list --replay FILE --at TIME" answers it`,
		"tail pods --replay - --state x":                 "--state cannot be used with --replay",
		"tail pods --replay - --until-synced":            "it ends by itself, with the record",
		"tail pods --replay - --metrics-file x":          "--metrics-file cannot be used with --replay",
		"list pods --replay - --live":                    "--live cannot be used with --replay",
		"tail pods --record x --state y":                 "--record cannot be used with --state",
		"tail pods --replay none":                        `the path "none" does not exist`,
		"tail pods --replay .":                           "a record is one file",
	} {
		stdout, stderr, code := askDump(t, nil, aRecord, args)
		if stdout != "" || !strings.Contains(stderr, want) || code == 0 {
			t.Errorf("%s: got %d, %s%s\nwant %q", args, code, stdout, stderr, want)
		}
	}
	for _, args := range []string{"--timestamps", "--speed 1"} {
		if _, stderr, code := askDump(t, nil, withoutTimes(aRecord), "tail pods --replay - "+args); !strings.Contains(stderr, "the record does not have the times") || code != 1 {
			t.Errorf("%s: got %d, %s", args, code, stderr)
		}
	}
}

func TestACutRecordIsReplayedWithAWarning(t *testing.T) {
	stdout, stderr, code := askDump(t, nil, aRecord+`{"type":`, "tail pods --replay - -o name")
	if strings.Count(stdout, "\n") != 4 || stderr != "Warning: stdin: line 6, the last, was cut off and is left out\n" || code != 0 {
		t.Errorf("got %d, %q, %q", code, stdout, stderr)
	}
	if _, stderr, code := askDump(t, nil, "hello\n"+aRecord, "tail pods --replay -"); !strings.HasPrefix(stderr, "error: stdin: line 1: not an event") || code != 1 {
		t.Errorf("got %d, %q", code, stderr)
	}
}

// Two types were listed at once, and the stream ended before one of them had synced.
func TestWhatARecordStartsWithIsSortedThoughItEndsBeforeSync(t *testing.T) {
	const record = `{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"z","namespace":"shop","resourceVersion":"1","uid":"1"}},"initial":true,"time":"2026-01-01T00:00:01Z"}
{"type":"SYNCED","apiVersion":"v1","kind":"ConfigMap","time":"2026-01-01T00:00:01Z"}
{"type":"ADDED","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"y","namespace":"shop","resourceVersion":"3","uid":"3"}},"initial":true,"time":"2026-01-01T00:00:02Z"}
{"type":"ADDED","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x","namespace":"shop","resourceVersion":"2","uid":"2"}},"initial":true,"time":"2026-01-01T00:00:02Z"}
`
	stdout, stderr, code := askDump(t, nil, record, "tail --replay - -o name --sort-by .metadata.name")
	if stdout != "configmap/z\nsecret/x\nsecret/y\n" || code != 0 {
		t.Errorf("got %d, %q, %s", code, stdout, stderr)
	}
}

func TestARecordIsANewFileForItsOwnerAndHasEveryEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.jsonl")
	target := cache.Target{}
	target.Kind.Version, target.Kind.Kind = "v1", "Pod"
	target.Resource.Resource = "pods"
	r, err := newRecorder(path, printers.NewFlags(), []cache.Target{target})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.begin([]cache.Target{target}, nil); err != nil {
		t.Fatal(err)
	}
	row := &cache.Row{}
	row.APIVersion, row.Kind, row.Name = "v1", "Pod", "a"
	r.add(cache.Event{Type: cache.Added, Target: target, Row: row, Initial: true, Time: time.Unix(1, 0)})
	r.add(cache.Event{Type: cache.Lost, Target: target})
	r.add(cache.Event{Type: cache.Synced, Target: target, Time: time.Unix(2, 0)})
	if err := r.flush(); err != nil {
		t.Fatal(err)
	}
	flushed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(flushed), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], `{"type":"RECORD","time":"`) ||
		!strings.HasPrefix(lines[1], `{"type":"ADDED","object":{`) || !strings.HasSuffix(lines[1], `"initial":true,"time":"1970-01-01T00:00:01Z"}`) ||
		lines[2] != `{"type":"SYNCED","apiVersion":"v1","kind":"Pod","time":"1970-01-01T00:00:02Z"}` {
		t.Errorf("got\n%s", flushed)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	r.add(cache.Event{Type: cache.Deleted, Target: target, Row: row})
	if err := r.flush(); err != nil {
		t.Errorf("after its end: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	if _, err := newRecorder(path, printers.NewFlags(), nil); err == nil || !strings.Contains(err.Error(), "is there already, and is not overwritten") {
		t.Errorf("a file that is there: got %v", err)
	}
}
