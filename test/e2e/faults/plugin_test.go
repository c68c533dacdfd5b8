package faults

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// user is somebody at a shell.
type user struct {
	t   *testing.T
	env []string
}

// user gives somebody a kubeconfig, with what is wrong with it, and a home
// directory of their own, in which no discovery is cached yet.
func (s *server) user(t *testing.T, name string, wrong ...func(*clientcmdapi.Config)) *user {
	t.Helper()
	return s.userAt(t, t.TempDir(), name, wrong...)
}

// userAt is the same with a home directory that is there already.
func (s *server) userAt(t *testing.T, home, name string, wrong ...func(*clientcmdapi.Config)) *user {
	t.Helper()
	return &user{t, stage.programs.Environ(home, s.kubeconfig(t, name, wrong))}
}

// during returns the same user for a subtest.
func (u *user) during(t *testing.T) *user { return &user{t, u.env} }

// setenv gives the programs one more environment variable.
func (u *user) setenv(variable string) { u.env = append(u.env, variable) }

// informer runs the plugin to its end.
func (u *user) informer(args ...string) harness.Result {
	u.t.Helper()
	return u.run(patience, "kubectl-informer", args...)
}

// refused runs the plugin for something that it has to refuse: exit code 1 in
// the time that a refusal may take. It returns what it says, which is nothing
// on stdout.
func (u *user) refused(args ...string) (stderr []string) {
	u.t.Helper()
	result := u.run(atOnce, "kubectl-informer", args...)
	if result.Code != 1 || result.Stdout != "" {
		u.t.Errorf("%v: got exit code %d, stdout %q; want 1 and nothing", args, result.Code, result.Stdout)
	}
	return lines(result.Stderr)
}

// kubectl runs kubectl to its end.
func (u *user) kubectl(args ...string) harness.Result {
	u.t.Helper()
	return u.run(patience, "kubectl", args...)
}

func (u *user) run(limit time.Duration, program string, args ...string) harness.Result {
	u.t.Helper()
	ctx, cancel := context.WithTimeout(u.t.Context(), limit)
	defer cancel()
	result, err := stage.programs.Run(ctx, u.env, program, args...)
	if err != nil {
		u.t.Fatal(err)
	}
	if program == "kubectl-informer" {
		checkSilence(u.t, result)
	}
	return result
}

// checkSilence looks for what the plugin must never say unasked.
func checkSilence(t *testing.T, result harness.Result) {
	t.Helper()
	if err := result.Noise(); err != nil {
		t.Error(err)
	}
}

// stream is a tail that runs while the test goes on.
type stream struct {
	*harness.Stream
	t *testing.T
}

// tail starts the plugin's tail.
func (u *user) tail(args ...string) *stream {
	u.t.Helper()
	started, err := stage.programs.Start(u.t.Context(), u.env, "kubectl-informer", append([]string{"tail"}, args...)...)
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() {
		if err := started.Kill(); err != nil {
			u.t.Error(err)
		}
	})
	return &stream{started, u.t}
}

// untilTold waits until the stream has told something of an object.
func (s *stream) untilTold(what string) {
	s.t.Helper()
	s.until(func(stdout, _ []string) bool { return slices.Contains(story(s.t, stdout), what) })
}

// untilSays waits until a line on stderr begins so, for the nth time.
func (s *stream) untilSays(beginning string, times int) {
	s.t.Helper()
	s.until(func(_, stderr []string) bool { return count(stderr, beginning) >= times })
}

func (s *stream) until(enough func(stdout, stderr []string) bool) {
	s.t.Helper()
	if err := s.Until(enough); err != nil {
		s.t.Fatal(err)
	}
}

// says checks every line of stderr so far, by its beginning.
func (s *stream) says(beginnings ...string) {
	s.t.Helper()
	checkSays(s.t, s.Notices(), beginnings...)
}

// tells checks all that has been told of all objects so far.
func (s *stream) tells(want ...string) {
	s.t.Helper()
	if got := story(s.t, s.Lines()); !slices.Equal(got, want) {
		s.t.Errorf("told:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// endsBy sends a signal and checks that the stream ends by it, in time and
// without a word.
func (s *stream) endsBy(signal syscall.Signal) {
	s.t.Helper()
	said := len(s.Notices())
	sent := time.Now()
	if err := s.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	result := s.end()
	if took := time.Since(sent); took > signalled {
		s.t.Errorf("took %v to end by %v", took, signal)
	}
	if want := 128 + int(signal); result.Code != want {
		s.t.Errorf("got exit code %d, want %d", result.Code, want)
	}
	if more := s.Notices()[said:]; len(more) > 0 {
		s.t.Errorf("ended by a signal it says %q", more)
	}
}

// end waits for the stream's end.
func (s *stream) end() harness.Result {
	s.t.Helper()
	result, err := s.Wait()
	if err != nil {
		s.t.Fatal(err)
	}
	checkSilence(s.t, result)
	return result
}

// told is one line of a stream in JSON.
type told struct {
	Type   string
	Object struct {
		Kind     string
		Metadata struct {
			Namespace, Name string
			UID             types.UID
		}
	}
	Initial           bool
	FinalStateUnknown bool
	Reason            string
}

// events reads a stream's lines; those of a table have no more than a type and
// a name.
func events(t *testing.T, lines []string) []told {
	t.Helper()
	var all []told
	for _, line := range lines {
		var event told
		switch fields := strings.Fields(line); {
		case strings.HasPrefix(line, "{"):
			if err := json.Unmarshal([]byte(line), &event); err != nil {
				t.Fatalf("%v in the line %q", err, line)
			}
		case len(fields) < 2:
			t.Fatalf("neither an event nor a row: %q", line)
		case fields[0] == "EVENT":
			continue
		default:
			event.Type, event.Object.Metadata.Name = fields[0], fields[1]
		}
		all = append(all, event)
	}
	return all
}

// story puts a stream's lines into a few words each: "ADDED settings initial".
// SYNCED stands alone.
func story(t *testing.T, lines []string) []string {
	t.Helper()
	var story []string
	for _, event := range events(t, lines) {
		words := []string{event.Type}
		if name := event.Object.Metadata.Name; name != "" {
			words = append(words, name)
		}
		if event.Initial {
			words = append(words, "initial")
		}
		if event.FinalStateUnknown {
			words = append(words, "finalStateUnknown")
		}
		story = append(story, strings.Join(words, " "))
	}
	return story
}

// checkSays compares lines with what they have to begin with.
func checkSays(t *testing.T, got []string, beginnings ...string) {
	t.Helper()
	same := slices.EqualFunc(got, beginnings, func(line, beginning string) bool { return strings.HasPrefix(line, beginning) })
	if !same {
		t.Errorf("stderr:\n%s\nwant lines that begin with:\n%s", strings.Join(got, "\n"), strings.Join(beginnings, "\n"))
	}
}

// count returns how many lines begin so.
func count(lines []string, beginning string) int {
	n := 0
	for _, line := range lines {
		if strings.HasPrefix(line, beginning) {
			n++
		}
	}
	return n
}

// lines returns the lines of a text that ends with a newline, or is empty.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// lastLine returns the last line of a text, "" of none.
func lastLine(text string) string {
	all := append([]string{""}, lines(text)...)
	return all[len(all)-1]
}
