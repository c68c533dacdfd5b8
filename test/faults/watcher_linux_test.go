package faults

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
	"github.com/kubectl-informer/kubectl-informer/test/faults/ledger"
)

// watcher is one command that a scenario happens to.
type watcher struct {
	*harness.Stream
	lab     *lab
	command command
	chain   chain
	env     []string
	mark    string // a variable of the environment that its processes are known by
	stream  *ledger.Stream
	out     *reader // of stdout, where the scenario may neglect it
	// questions and answers are query's stdin and stdout.
	questions io.WriteCloser
	answers   *bufio.Reader
	asked     chan struct{} // holds one value while nobody asks
}

// markVariable is inherited by all that a command starts.
const markVariable = "INFORMER_FAULTS_WATCHER"

func (l *lab) newWatcher(command command) *watcher {
	l.Helper()
	chain, err := l.newChain(l.Context())
	l.must(err)
	l.Cleanup(chain.front.Close)
	home := l.TempDir()
	w := &watcher{
		lab: l, command: command, chain: chain, stream: ledger.NewStream(), asked: make(chan struct{}, 1),
		mark: fmt.Sprintf("%s=%s", markVariable, home),
	}
	w.asked <- struct{}{}
	path, err := l.Kubeconfig(l.scenario.whose(), cluster.KubeconfigOptions{Server: chain.front.URL(), Namespace: l.namespace})
	l.must(err)
	config, err := clientcmd.LoadFromFile(path)
	l.must(err)
	if l.scenario.config != nil {
		l.scenario.config(l, config)
	}
	changed := filepath.Join(home, "kubeconfig")
	l.must(clientcmd.WriteToFile(*config, changed))
	w.env = append(stage.programs.Environ(home, changed), slices.Concat([]string{w.mark}, l.scenario.env, l.env)...)
	return w
}

func (w *watcher) args() []string {
	var names []string
	for _, one := range w.lab.types {
		names = append(names, strings.TrimSuffix(one.Resource.GroupResource().String(), "."))
	}
	types := strings.Join(names, ",")
	if only := w.lab.scenario.only; only != "" {
		return w.argsOf(only)
	}
	switch w.command {
	case handler:
		return slices.Concat([]string{"tail", types}, w.lab.args, []string{"--", "cat"})
	case wait:
		return []string{"wait", types, "-l", goal, "--for=delete", "--timeout=-1s"}
	case query:
		return []string{"query", types, "--null"}
	default:
		return slices.Concat([]string{"tail", types, "-o", "json", "--sync-events"}, w.lab.args)
	}
}

// argsOf are for a tail of single objects.
func (w *watcher) argsOf(name string) []string {
	args := []string{"tail"}
	for _, one := range w.lab.types {
		args = append(args, singular(one, name))
	}
	return append(args, "-o", "json", "--sync-events")
}

// start starts the command, which is killed with the scenario if it has not
// ended by then.
func (w *watcher) start() {
	w.lab.Helper()
	command := stage.programs.Command(w.lab.Context(), w.env, "kubectl-informer", w.args()...)
	if wrap := w.lab.scenario.wrap; len(wrap) > 0 {
		command = exec.CommandContext(w.lab.Context(), wrap[0], slices.Concat(wrap[1:], command.Args)...)
		command.Env = w.env
	}
	var err error
	if w.command == query {
		w.questions, err = command.StdinPipe()
		w.lab.must(err)
	}
	if w.command != query && !w.lab.scenario.piped {
		w.Stream, err = harness.Follow(command)
		w.lab.must(err)
		w.lab.Cleanup(func() { _ = w.Kill() })
		return
	}
	pipe, stdout, err := os.Pipe()
	w.lab.must(err)
	defer stdout.Close()
	w.Stream, err = harness.FollowTo(command, stdout)
	w.lab.must(err)
	w.answers = bufio.NewReader(pipe)
	var reading sync.WaitGroup
	if w.command != query {
		w.out = &reader{pipe: pipe}
		reading.Go(w.out.read)
	}
	w.lab.Cleanup(func() {
		_ = w.Kill()
		_ = pipe.Close()
		reading.Wait()
	})
}

func (w *watcher) hasEnded() bool {
	if w.Stream == nil {
		return false
	}
	select {
	case <-w.Ended():
		return true
	default:
		return false
	}
}

// synced is an error while the command has not synced.
func (w *watcher) synced() error {
	if w.Stream == nil {
		return errors.New("it has not been started")
	}
	switch w.command {
	case tail:
		w.stream.Read(w.lines())
		if got := len(w.stream.Synced); got < len(w.lab.living) {
			return fmt.Errorf("%d types have synced", got)
		}
	case query:
		_, err := w.ask()
		return err
	}
	for _, one := range w.lab.living {
		if w.chain.gateway.Count(faultproxy.Watch(one.Resource.Resource)) == 0 {
			return fmt.Errorf("it does not watch %s", one.Resource.Resource)
		}
	}
	return nil
}

// tells is an error while a stream has not told of some objects.
func (w *watcher) tells(keys []ledger.Key) error {
	w.stream.Read(w.lines())
	for _, key := range keys {
		if !w.stream.Tells(key) {
			return fmt.Errorf("%v has not been told", key)
		}
	}
	return nil
}

// knows is an error while the command does not know some objects.
func (w *watcher) knows(keys []ledger.Key) error {
	switch w.command {
	case wait:
		return nil
	case query:
		believed, err := w.ask()
		if err != nil {
			return err
		}
		for _, key := range keys {
			if _, ok := believed[key]; !ok {
				return fmt.Errorf("%v is not answered", key)
			}
		}
		return nil
	}
	return w.tells(keys)
}

// has is an error while the command believes other objects to be there.
func (w *watcher) has(there ledger.Objects) error {
	var believed ledger.Objects
	switch w.command {
	case wait:
		return nil
	case query:
		var err error
		if believed, err = w.ask(); err != nil {
			return err
		}
		if w.lab.scenario.closed && len(believed.Of(w.lab.scenario.broken.Kind)) > 0 {
			return fmt.Errorf("it answers objects of %s, which has ended: nobody knows what is there", w.lab.scenario.broken.Kind)
		}
	default:
		w.stream.Read(w.lines())
		believed = w.stream.Cache
	}
	if wrong := ledger.Differences(believed.Of(w.lab.kinds()...), there.Of(w.lab.kinds()...)); len(wrong) > 0 {
		return errors.New(ledger.Join(wrong))
	}
	return nil
}

// ask asks query for all objects that it has.
func (w *watcher) ask() (ledger.Objects, error) {
	select {
	case <-w.asked:
	default:
		return nil, errors.New("it has not answered the last question")
	}
	if _, err := io.WriteString(w.questions, "-o jsonl\n"); err != nil {
		w.asked <- struct{}{}
		return nil, err
	}
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := w.answers.ReadString(0)
		w.asked <- struct{}{}
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		if a.err != nil {
			return nil, a.err
		}
		return read(strings.TrimSuffix(a.text, "\x00"))
	case <-time.After(soon):
		return nil, errors.New("it does not answer")
	}
}

// read reads objects, one a line. A Status is an error.
func read(text string) (ledger.Objects, error) {
	objects := ledger.Objects{}
	var status error
	for line := range strings.Lines(text) {
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(line), &object.Object); err != nil {
			return nil, fmt.Errorf("%w in the line %.200q", err, line)
		}
		if object.GetKind() == "Status" {
			status = fmt.Errorf("it answers %.300s", line)
			continue
		}
		objects[ledger.KeyOf(object)] = ledger.VersionOf(object)
	}
	return objects, status
}

// finish ends the command and checks how it does.
func (w *watcher) finish() {
	w.lab.Helper()
	want := 128 + int(syscall.SIGINT)
	begin := time.Now()
	limit := signalled
	if w.command == wait {
		want, limit = 0, soon
	} else if err := w.Signal(syscall.SIGINT); err != nil {
		w.lab.broke(endsClean, w, "it has ended before: %v", err)
		return
	}
	result, err := w.Wait()
	if took := time.Since(begin); err != nil || took > limit {
		w.lab.broke(endsClean, w, "it takes %v to end, %v", took.Round(time.Millisecond), err)
	}
	if result.Code != want {
		w.lab.broke(endsClean, w, "got exit code %d, want %d", result.Code, want)
	}
	w.leftovers()
}

// endings waits for the commands that end by themselves.
func (l *lab) endings() {
	l.Helper()
	for _, w := range l.watchers {
		ending, ends := l.scenario.ends[w.command]
		if !ends {
			continue
		}
		select {
		case <-w.Ended():
		case <-time.After(3 * soon):
			l.broke(saysFault, w, "it does not end")
			continue
		}
		result, err := w.Wait()
		l.must(err)
		if code := w.exitCode(); code != ending.code {
			l.broke(saysFault, w, "got exit code %d, want %d", code, ending.code)
		}
		if ending.says != nil && !ending.says.MatchString(result.Stderr) {
			l.broke(saysFault, w, "it does not say %v", ending.says)
		}
		if err := result.Noise(); err != nil {
			l.broke(saysFault, w, "%v", err)
		}
		w.leftovers()
		l.result.measure(w)
	}
}

// exitCode is the one that a shell sees.
func (w *watcher) exitCode() int {
	if status, ok := w.Usage().Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return w.Usage().ExitCode()
}

// leftovers checks that no process is left that the command has started.
func (w *watcher) leftovers() {
	w.lab.Helper()
	if err := eventually(w.lab.Context(), signalled, w.noneLeft); err != nil {
		w.lab.broke(endsClean, w, "%v", err)
	}
}

func (w *watcher) noneLeft() error {
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return err
	}
	for _, path := range environments {
		// A process that has ended meanwhile has nothing to read.
		if text, err := os.ReadFile(path); err == nil && slices.Contains(strings.Split(string(text), "\x00"), w.mark) {
			return fmt.Errorf("process %s is left", filepath.Base(filepath.Dir(path)))
		}
	}
	return nil
}
