package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// pods are two of ours and one of others, as each format has them.
var pods = map[string][]string{
	"json": {
		// kubectl has a page of its list in one line, and the plugin a pod.
		`{"type":"ADDED","object":{"items":[{"kind":"Pod","metadata":{"generateName":"app-1-6d4cf5-","labels":{"app":"app-1"},"name":"app-1-6d4cf5-00001"}},` +
			`{"kind":"Pod","metadata":{"generateName":"app-2-6d4cf5-","name":"app-2-6d4cf5-00002"}},{"kind":"Pod","metadata":{"name":"other"}}],"kind":"List"}}`,
		`{"type":"ADDED","object":{"kind":"Pod","metadata":{"generateName":"app-1-6d4cf5-","name":"app-1-6d4cf5-00001"}}}` + "\n" +
			`{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"generateName":"app-1-6d4cf5-","name":"app-1-6d4cf5-00001"}}}` + "\n" +
			`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"other"}}}`,
	},
	"table": {
		"EVENT NAMESPACE NAME READY\nADDED bench-1 app-1-6d4cf5-00001 2/2\nMODIFIED bench-1 app-1-6d4cf5-00001 2/2\nADDED dev other 2/2",
	},
	"name": {"pod/app-1-6d4cf5-00001\npod/app-2-6d4cf5-00002\npod/other\n"},
}

func TestEachPodOfAStreamIsCountedOnceHoweverItIsLaidOutAndRead(t *testing.T) {
	for _, st := range streamsOf() {
		for _, text := range pods[st.format] {
			for name, stdout := range map[string]io.Reader{
				"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
				"beyond a buffer": io.MultiReader(strings.NewReader(strings.Repeat(" ", 64<<10-5)), strings.NewReader(text)),
			} {
				c := counting(stdout, st.mark)
				<-c.ended
				if n := c.pods.Load(); n != 2 {
					t.Errorf("%s, %s: %d pods in %s", st.format, name, n, text)
				}
			}
		}
	}
}

// shell runs instead of a tool.
func shell(script string) []string { return []string{"sh", "-c", script} }

// fails has each error say what was asked and what is missing.
func fails(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in: %v", word, err)
		}
	}
}

func TestAStreamIsFollowedUntilTheChangesArePrinted(t *testing.T) {
	b := &bench{env: os.Environ(), timeout: time.Minute}
	file := t.TempDir() + "/changed"
	script := `printf 'pod pod\n'; while ! test -e "` + file + `"; do sleep 0.01; done; printf 'pod\n'; sleep 600`
	told, err := b.follow(t.Context(), shell(script), "pod", 2, 1, func(context.Context, *counter) error { return os.WriteFile(file, nil, 0o600) })
	if err != nil || told.first.wall <= 0 || told.changed.wall <= 0 {
		t.Errorf("%v, %+v", err, told)
	}
}

func TestAStreamThatLacksPodsFailsInTimeAndSaysHowMany(t *testing.T) {
	b := &bench{env: os.Environ(), timeout: 300 * time.Millisecond}
	_, err := b.follow(t.Context(), shell("echo pod; echo slow down >&2; sleep 600"), "pod", 3, 1, nil)
	fails(t, err, "sleep 600", "not done after 300ms", "1 of 3 pods", "slow down")
	changed := func(context.Context, *counter) error { return nil }
	_, err = b.follow(t.Context(), shell("echo pod; sleep 600 & wait"), "pod", 1, 2, changed)
	fails(t, err, "not done after 300ms", "1 of 3 pods")
}

func TestAStreamThatEndsFailsAtOnce(t *testing.T) {
	b := &bench{env: os.Environ(), timeout: time.Hour}
	_, err := b.follow(t.Context(), shell("echo pod; echo the watch was closed >&2; exit 4"), "pod", 3, 1, nil)
	fails(t, err, "sh -c", "printed 1 of 3 pods: it ended too early (exit status 4)", "the watch was closed")
	_, err = b.firstLine(t.Context(), shell("echo forbidden >&2"))
	fails(t, err, "no line", "ended too early (exit status 0)", "forbidden")
}

func TestAChangeThatFailsOrHangsEndsTheStream(t *testing.T) {
	b := &bench{env: os.Environ(), timeout: 300 * time.Millisecond}
	_, err := b.follow(t.Context(), shell("echo pod; sleep 600"), "pod", 1, 1, func(context.Context, *counter) error { return errors.New("no quorum") })
	fails(t, err, "sleep 600", "changing pods", "no quorum")
	_, err = b.follow(t.Context(), shell("echo pod; sleep 600"), "pod", 1, 1, func(ctx context.Context, _ *counter) error {
		<-ctx.Done()
		return ctx.Err()
	})
	fails(t, err, "not done after 300ms", "changing pods")
}

func TestACommandThatHangsEndsWithAllItHasStarted(t *testing.T) {
	b := &bench{env: os.Environ(), timeout: 300 * time.Millisecond}
	_, err := b.run(t.Context(), shell("sleep 600 | cat"), "")
	fails(t, err, "sleep 600 | cat", "not done after 300ms")
	_, err = b.run(t.Context(), shell("echo no such thing >&2; exit 3"), "")
	fails(t, err, "exit status 3", "no such thing")
	if _, err := b.firstLine(t.Context(), shell("sleep 600")); err == nil || !strings.Contains(err.Error(), "not done after 300ms") {
		t.Errorf("a first line that does not come: %v", err)
	}
}

func TestAQueryThatEndsGivesNoFigures(t *testing.T) {
	ended := bufio.NewScanner(strings.NewReader("pod/a\n---\npod/b\n"))
	_, _, err := ask(io.Discard, ended, "--by node=n")
	fails(t, err, "ended within an answer")
	answers := strings.Repeat("pod/a\npod/b\n---\n", 101)
	if _, lines, err := ask(io.Discard, bufio.NewScanner(strings.NewReader(answers)), "--by node=n"); err != nil || lines != 2 {
		t.Errorf("%d lines, %v", lines, err)
	}
}
