package harness

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// ScriptCommands returns what scripts can do beside testscript's own commands.
// Each script has to be set up with SetUpScript.
//
//	exits CODE PROGRAM [ARG...]    run a program, which ends with this exit code
//	begin NAME PROGRAM [ARG...]    run a program while the script goes on
//	recipe NAME                    run recipe.sh, as typed, while the script goes on
//	until NAME EXPRESSION          wait until it has told this on stdout
//	untilsaid NAME EXPRESSION      wait until it has said this on stderr
//	untilwatching NAME COUNT       wait until it has opened so many watches, as it says at -v=6
//	interrupt NAME                 press Ctrl-C, and wait for its end
//	ends NAME CODE                 wait for its end by itself
//
// What a program has written by its end is what stdout, stderr and cmp look at.
func (p Programs) ScriptCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"exits":         exits,
		"begin":         p.begin,
		"recipe":        recipe,
		"until":         until,
		"untilsaid":     untilSaid,
		"untilwatching": untilWatching,
		"interrupt":     interrupt,
		"ends":          ends,
	}
}

// background are the programs of one script that run, by name.
type background struct {
	testing.TB
	env     []string
	running map[string]*Stream
}

type backgroundKey struct{}

// ScriptTest returns the test that a script runs in.
func ScriptTest(env *testscript.Env) (testing.TB, error) {
	t, ok := env.T().(testing.TB)
	if !ok {
		return nil, errors.New("the script does not run in a test")
	}
	return t, nil
}

// SetUpScript gives a script its variables, which the programs that it begins
// have too, and ends with it what it has left running.
func SetUpScript(env *testscript.Env, variables []string) error {
	t, err := ScriptTest(env)
	if err != nil {
		return err
	}
	env.Vars = append(env.Vars, variables...)
	b := &background{TB: t, env: variables, running: map[string]*Stream{}}
	env.Values[backgroundKey{}] = b
	env.Defer(func() {
		for stream := range maps.Values(b.running) {
			if err := stream.Kill(); err != nil {
				t.Error(err)
			}
		}
	})
	return nil
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		got = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	checkCode(ts, got, args[0])
}

func checkCode(ts *testscript.TestScript, got int, want string) {
	if strconv.Itoa(got) != want {
		ts.Fatalf("got exit code %d, want %s", got, want)
	}
}

func (p Programs) begin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: begin NAME PROGRAM [ARG...]")
	}
	b := ts.Value(backgroundKey{}).(*background)
	stream, err := p.Start(b.Context(), b.env, args[1], args[2:]...)
	ts.Check(err)
	b.running[args[0]] = stream
}

// recipe runs the file recipe.sh as somebody would who typed it.
func recipe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: recipe NAME")
	}
	b := ts.Value(backgroundKey{}).(*background)
	// The shell becomes the command that a recipe is, and signals reach that.
	command := exec.CommandContext(b.Context(), "bash", "-c", "exec "+ts.ReadFile("recipe.sh"))
	command.Env, command.Dir = b.env, ts.Getenv("WORK")
	stream, err := Follow(command)
	ts.Check(err)
	b.running[args[0]] = stream
}

// streamOf is the program that a command's first argument names.
func streamOf(ts *testscript.TestScript, args []string, count int) *Stream {
	b := ts.Value(backgroundKey{}).(*background)
	if len(args) != count || b.running[args[0]] == nil {
		ts.Fatalf("want the name of a program that runs, and %d arguments in all, got %q", count, args)
	}
	return b.running[args[0]]
}

func until(ts *testscript.TestScript, _ bool, args []string) {
	untilMatch(ts, args, func(stdout, _ []string) []string { return stdout })
}

// untilSaid is until for stderr.
func untilSaid(ts *testscript.TestScript, _ bool, args []string) {
	untilMatch(ts, args, func(_, stderr []string) []string { return stderr })
}

// untilMatch waits until some of what a program has written matches.
func untilMatch(ts *testscript.TestScript, args []string, of func(stdout, stderr []string) []string) {
	stream := streamOf(ts, args, 2)
	expression, err := regexp.Compile(`(?m)` + args[1])
	ts.Check(err)
	ts.Check(stream.Until(func(stdout, stderr []string) bool {
		return expression.MatchString(strings.Join(of(stdout, stderr), "\n"))
	}))
}

func untilWatching(ts *testscript.TestScript, _ bool, args []string) {
	stream := streamOf(ts, args, 2)
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(stream.Until(func(_, stderr []string) bool { return Watches(stderr) >= count }))
}

// Watches counts the watches that a program says on stderr, at -v=6, that it has
// opened.
func Watches(stderr []string) int {
	count := 0
	for _, line := range stderr {
		if strings.Contains(line, "watch=true") {
			count++
		}
	}
	return count
}

func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	stream := streamOf(ts, args, 1)
	ts.Check(stream.Signal(os.Interrupt))
	wait(ts, stream, strconv.Itoa(128+int(syscall.SIGINT)))
}

func ends(ts *testscript.TestScript, _ bool, args []string) {
	wait(ts, streamOf(ts, args, 2), args[1])
}

// wait waits for a program's end and shows what it has written.
func wait(ts *testscript.TestScript, stream *Stream, code string) {
	result, err := stream.Wait()
	ts.Check(err)
	_, err = ts.Stdout().Write([]byte(result.Stdout))
	ts.Check(err)
	_, err = ts.Stderr().Write([]byte(result.Stderr))
	ts.Check(err)
	checkCode(ts, result.Code, code)
}
