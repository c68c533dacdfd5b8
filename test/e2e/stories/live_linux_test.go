package stories

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-informer/kubectl-informer/test/cluster/faultproxy"
	"github.com/kubectl-informer/kubectl-informer/test/cluster/podchurn"
)

// configMap creates an object that only these tests see.
func (u *user) configMap(name string, data map[string]string) {
	u.t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "live", "team": data["team"]}}, Data: data}
	if _, err := stage.client.CoreV1().ConfigMaps(u.namespace).Create(u.t.Context(), object, metav1.CreateOptions{}); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) patchConfigMap(name, patch string) {
	u.t.Helper()
	if _, err := stage.client.CoreV1().ConfigMaps(u.namespace).Patch(u.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) deleteConfigMap(name string) {
	u.t.Helper()
	if err := stage.client.CoreV1().ConfigMaps(u.namespace).Delete(u.t.Context(), name, metav1.DeleteOptions{}); err != nil {
		u.t.Fatal(err)
	}
}

const openLive = "echo what was here before; kubectl informer list configmaps -l app=live --live"

func TestLiveViewShowsChangesInPlace(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.configMap("b", map[string]string{"x": "1"})
	s := u.open(80, 20)
	s.types(openLive)
	s.shows("   NAME   DATA   AGE", ">  b      1", " 1 object", "? help")

	u.configMap("a", nil)
	s.shows(">+ a      0", "   b      1", " 2 objects")
	u.patchConfigMap("b", `{"data":{"y":"漢字"}}`)
	s.shows(" ~ b      2")
	s.press("Down", "Enter")
	s.shows("Changes of configmaps/b in namespace "+u.namespace, "  MODIFIED", "    + data.y: <none> → 漢字")
	u.patchConfigMap("b", `{"data":{"y":"\u001b[31mred"}}`)
	s.shows(`    ~ data.y: 漢字 → "\x1b[31mred"`)
	s.press("Escape", "y")
	s.shows("YAML of configmaps/b", "kind: ConfigMap", `  "y": "\u001b[31mred"`)
	s.press("Escape")
	u.deleteConfigMap("b")
	s.shows(">- b      2")
	s.hides("b      2")
	s.shows(">  a      0", " 1 object")
	s.press("?")
	s.shows("Ctrl-Z      suspend; fg returns")
	s.press("q")
	s.restored(0)
}

func TestLiveViewIsFilteredSortedPausedAndResized(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for name, data := range map[string]map[string]string{"one": {"x": "1", "y": "2", "team": "red"}, "two": {"team": "blue"}, "three": nil} {
		u.configMap(name, data)
	}
	s := u.open(80, 20)
	s.types(openLive + " -L team -o wide")
	s.shows("NAME    DATA   AGE", "TEAM", "red", "blue", " 3 objects")
	s.press("/", "t", "w", "o")
	s.shows(">  two ", " 1 of 3 objects   filter: two", "/two")
	s.hides("three")
	s.press("Enter", "Escape")
	s.shows("three", " 3 objects")

	s.press("s", "s")
	s.shows("DATA↑", "sorted by data")
	inOrder := func(names ...string) {
		t.Helper()
		s.until(func(text string) error {
			at := 0
			for _, name := range names {
				next := strings.Index(text[at:], name+" ")
				if next < 0 {
					return fmt.Errorf("no %q there, in the order %v", name, names)
				}
				at += next
			}
			return nil
		})
	}
	inOrder("three", "two", "one")
	s.press("S")
	inOrder("one", "two", "three")
	u.patchConfigMap("three", `{"data":{"a":"","b":"","c":"","d":""}}`)
	inOrder("three", "one", "two")

	s.press("p")
	s.shows("PAUSED")
	u.deleteConfigMap("one")
	u.patchConfigMap("two", `{"data":{"a":""}}`)
	s.shows("PAUSED, changes of 2 objects wait", "one     3")
	s.press("p")
	s.shows("- one     3", "~ two     2")
	s.hides("PAUSED", "one     3")

	s.tmux("resize-window", "-x", "40", "-y", "6")
	s.until(func(text string) error {
		lines := strings.Split(text, "\n")
		if len(lines) != 6 || !strings.Contains(lines[4], "2 objects") || !strings.Contains(lines[0], "NAME") {
			return fmt.Errorf("the status is not where it belongs")
		}
		return nil
	})
	s.press("C-c")
	s.restored(130)
}

func TestLiveViewSaysThatTheConnectionIsLost(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.configMap("here", nil)
	proxy, err := stage.cluster.TCPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := u.through(proxy.URL()).open(200, 12)
	s.types(openLive)
	s.shows(">  here")
	proxy.Refuse()
	proxy.Cut()
	s.shows("OFFLINE", "! connection lost: ", "; reconnecting", ">  here")
	u.configMap("meanwhile", nil)
	u.deleteConfigMap("here")
	if err := proxy.Resume(); err != nil {
		t.Fatal(err)
	}
	s.shows("connection is back after ", "+ meanwhile")
	s.hides("OFFLINE", "here  ")
	s.press("q")
	s.restored(0)
}

func TestLiveViewIsSuspendedAndComesBack(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.configMap("a", nil)
	s := u.open(80, 12)
	s.types(openLive)
	s.shows(">  a ")
	stopped := func() {
		t.Helper()
		s.shows("what was here before", "Stopped", "shell>")
		s.types(`clear; echo "while it is stopped: $(stty -a | grep -o -e '-*icanon')"`)
		s.shows("while it is stopped: icanon")
	}
	s.press("C-z")
	stopped()
	s.types("fg")
	s.shows("   NAME", ">  a ", "? help")
	s.types("") // Enter
	s.shows("Changes of configmaps/a")
	s.press("Escape")

	s.shows("/ filter")
	pid := strings.TrimSpace(s.tmux("display-message", "-p", "#{pane_pid}"))
	signal := func(name string) {
		t.Helper()
		if out, err := exec.Command("pkill", "-"+name, "-P", pid).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	signal("TSTP")
	s.shows("Stopped", "shell>")
	u.configMap("b", nil)
	s.types("clear; echo what was here before; fg")
	s.shows(">  a ", " + b ")
	signal("TERM")
	s.restored(143)
}

func TestLiveViewShowsCountsAsBars(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for n, team := range []string{"red", "red", "red", "blue"} {
		u.configMap(fmt.Sprint("c", n), map[string]string{"team": team})
	}
	s := u.open(60, 12)
	s.types(openLive + " --count-by metadata.labels.team,namespace")
	s.shows("METADATA.LABELS.TEAM   NAMESPACE", "COUNT", " 2 values")
	bars := func(red, blue int) {
		t.Helper()
		s.until(func(text string) error {
			length := map[string]int{}
			for line := range strings.Lines(text) {
				for _, team := range []string{"red", "blue"} {
					if strings.Contains(line, " "+team+" ") {
						length[team] = strings.Count(line, "█")
					}
				}
			}
			if length["red"] == 0 || length["blue"] == 0 || length["red"]*blue != length["blue"]*red {
				return fmt.Errorf("the bars are %v", length)
			}
			return nil
		})
	}
	s.tmux("resize-window", "-x", "67", "-y", "12")
	s.shows("red", "blue", "█")
	u.configMap("c4", map[string]string{"team": "blue"})
	u.configMap("c5", map[string]string{"team": "blue"})
	bars(1, 1)
	s.press("y")
	s.shows("counts have no YAML")
	s.press("Enter")
	s.shows("    ~ count: 1 → ")
	s.press("q")
	s.restored(0)
}

func TestLiveViewNeedsATerminalThatCanMoveItsCursor(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	s := u.open(120, 12)
	s.types("TERM=dumb kubectl informer list pods --live")
	s.shows(`error: --live needs a terminal that can move its cursor, and TERM is "dumb": "tail" reports changes line by line`)
	if got := u.run("kubectl-informer", "list", "pods", "--live"); got.Code != 1 ||
		got.Stderr != "error: --live needs a terminal, and stdout is none: \"tail\" reports changes line by line\n" {
		t.Errorf("got %+v", got)
	}
}

// Who has asked for no colours gets none: what has happened is told by characters.
func TestLiveViewHasNoColoursWhereTheyAreNotWanted(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	coloured := func(s *screen) bool {
		t.Helper()
		return strings.Contains(strings.Join(s.lines("-e"), "\n"), "\x1b[32m")
	}
	with, without := u.open(80, 12), u.open(80, 12)
	with.types(openLive)
	without.types("NO_COLOR=1; export NO_COLOR; " + openLive)
	for _, s := range []*screen{with, without} {
		s.shows("No resources found in " + u.namespace + " namespace.")
	}
	u.configMap("a", nil)
	for _, s := range []*screen{with, without} {
		s.shows(">+ a ")
	}
	if !coloured(with) || coloured(without) {
		t.Errorf("with colours: %q\nwithout: %q", with.lines("-e"), without.lines("-e"))
	}
}

func TestLiveViewAnswersWhatListAnswers(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.configMap("old", nil)
	u.kubectl("create", "secret", "generic", "s1", "--from-literal=a=b")
	u.kubectl("create", "secret", "generic", "s2")
	u.kubectl("label", "secret/s1", "secret/s2", "app=live")
	s := u.open(120, 16)
	s.types(`echo what was here before; kubectl informer list secrets,configmaps --by label=app=live --sort-by=-.metadata.name --limit 3 \
  --where 'age(object) > duration("10s") || object.kind == "Secret"' --live`)
	s.shows("NAME        TYPE", ">  secret/s2   Opaque   0", "   secret/s1   Opaque   1")
	// It is in the view by time alone, in a table of its own.
	s.shows("   NAME            DATA   AGE", "   configmap/old   0", " 3 objects")
	s.press("G", "Enter")
	s.shows("Changes of configmaps/old")
	s.press("Escape", "g", "y")
	s.shows("YAML of secrets/s2", "kind: Secret")
	s.press("Escape")
	u.kubectl("label", "secret/s1", "app-")
	s.shows("- secret/s1")
	s.hides("secret/s1")
	s.press("q")
	s.restored(0)
}

// What it costs is for `make bench-live` to say: this program looks for data races, too.
func TestLiveViewOfTenThousandRowsAnswersKeysWhileTheyChange(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	proxy, err := stage.cluster.HTTPProxy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const count = 10_000
	pods := podchurn.NewPods(count)
	proxy.Answer(faultproxy.List("pods"), faultproxy.Always, http.HandlerFunc(pods.List))
	proxy.Answer(faultproxy.Watch("pods"), faultproxy.Always, pods.Watch(100))
	s := u.through(proxy.URL()).open(120, 30)
	s.types("echo what was here before; kubectl informer list pods -A --live")
	s.shows(">", podchurn.Name(0), " 10000 objects")
	s.shows("~ churn", "CrashLoopBackOff")
	s.press("G")
	s.shows(">  churn       " + podchurn.Name(count-1))
	s.press("g", "/", "4", "3", "2", "1", "Enter")
	s.shows(podchurn.Name(4321), " 1 of 10000 objects   filter: 4321")
	s.press("y")
	s.shows("YAML of pods/"+podchurn.Name(4321), "kind: Pod")
	s.press("q")
	s.restored(0)
}
