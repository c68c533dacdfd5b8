//go:build unix

package stories

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

var (
	kills    = flag.Int("kills", 15, "how often each run is killed that keeps a state")
	killSeed = flag.Uint64("kill-seed", 0, "what the moments are drawn from; 0 draws a seed, and prints it")
)

// killed is a tail that is killed and started again, and what it has reported: a line
// each, in a file that all runs append to.
type killed struct {
	*testing.T
	user       *user
	args       []string
	log, state string
}

// run starts a run, and kills it after some time; 0 lets it end.
func (k *killed) run(after time.Duration) {
	k.Helper()
	out, err := os.OpenFile(k.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		k.Fatal(err)
	}
	defer out.Close()
	args := append([]string{"tail", "configmaps", "-l", "load", "--state", k.state}, k.args...)
	if after == 0 {
		args = append([]string{"tail", "--until-synced"}, args[1:]...)
	}
	command := stage.programs.Command(k.Context(), k.user.env, "kubectl-informer", args...)
	var errors strings.Builder
	command.Stdout, command.Stderr = out, &errors
	command.WaitDelay = time.Second // for a COMMAND that outlives what has started it
	if err := command.Start(); err != nil {
		k.Fatal(err)
	}
	if after > 0 {
		time.Sleep(after)
		_ = command.Process.Kill()
	}
	err = command.Wait()
	if killed := after > 0 && err != nil && !command.ProcessState.Exited(); !killed && err != nil && err != exec.ErrWaitDelay {
		k.Errorf("%v: %s", err, errors.String())
	}
}

// reported is what has been reported of each object: its events, and its versions. A
// run that was killed may have left half a line.
func (k *killed) reported() map[string]map[string]bool {
	text, err := os.ReadFile(k.log)
	if err != nil {
		k.Fatal(err)
	}
	all := map[string]map[string]bool{}
	for entry := range strings.SplitSeq(string(text), ">") {
		line, _, whole := strings.Cut(entry, "\n")
		words := strings.Fields(line)
		if !whole || len(words) != 3 {
			continue
		}
		if all[words[1]] == nil {
			all[words[1]] = map[string]bool{}
		}
		all[words[1]][words[0]], all[words[1]][words[2]] = true, true
	}
	return all
}

// check compares what was reported with what is there in the end, and was once.
func (k *killed) check(there map[string]string, gone map[string]bool) {
	told := k.reported()
	deletions := 0
	for name, version := range there {
		if !told[name][version] {
			k.Errorf("%s is there in version %s, which was never reported; that was %v", name, version, told[name])
		}
	}
	for name := range gone {
		if events := told[name]; len(events) > 0 {
			deletions++
			if !events["DELETED"] {
				k.Errorf("%s was reported, and its deletion never: %v", name, events)
			}
		}
	}
	if deletions == 0 || len(there) == 0 {
		k.Errorf("%d deletions and %d objects prove nothing", deletions, len(there))
	}
	k.Logf("%d objects are there, %d deletions were reported of %d", len(there), deletions, len(gone))
}

// load creates, changes and deletes objects until its context ends.
func load(ctx context.Context, t *testing.T, namespace string, random *rand.Rand) {
	config, err := stage.cluster.Config(cluster.Admin)
	if err != nil {
		t.Error(err)
		return
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Error(err)
		return
	}
	configMaps := client.CoreV1().ConfigMaps(namespace)
	var names []string
	for n := 0; ctx.Err() == nil; n++ {
		switch {
		case len(names) < 5 || len(names) < 40 && random.IntN(3) == 0:
			names = append(names, fmt.Sprintf("object-%d", n))
			_, err = configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: names[len(names)-1], Labels: map[string]string{"load": ""}}}, metav1.CreateOptions{})
		case random.IntN(2) == 0:
			patch := fmt.Sprintf(`{"data":{"turn":"%d"}}`, n)
			_, err = configMaps.Patch(ctx, names[random.IntN(len(names))], types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		default:
			chosen := random.IntN(len(names))
			err = configMaps.Delete(ctx, names[chosen], metav1.DeleteOptions{})
			names = append(names[:chosen], names[chosen+1:]...)
		}
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(random.IntN(20)) * time.Millisecond):
		}
	}
}

// A run that is killed at any moment loses nothing: what exists in the end was
// reported, or handled, in its last version, and of whatever was reported once and is
// gone, the deletion was.
func TestARunThatIsKilledLosesNothing(t *testing.T) {
	t.Parallel()
	drawn := *killSeed
	if drawn == 0 {
		drawn = rand.Uint64()
	}
	t.Logf("-kill-seed %d draws the same moments", drawn)
	for name, args := range map[string][]string{
		"printed": {"-o", `jsonpath=>{.type} {.object.metadata.name} {.object.metadata.resourceVersion}{"\n"}`},
		"handled": {"--parallel", "2", "--", "sh", "-c", `cat >/dev/null; echo ">$INFORMER_EVENT $INFORMER_NAME $INFORMER_RESOURCE_VERSION"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(drawn, 7))
			k := &killed{T: t, user: newUser(t), args: args, log: filepath.Join(t.TempDir(), "log"), state: filepath.Join(t.TempDir(), "state")}
			loading, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				load(loading, t, k.user.namespace, rand.New(rand.NewPCG(drawn, 8)))
			}()
			for range *kills {
				k.run(time.Millisecond + time.Duration(random.Int64N(int64(2*time.Second))))
			}
			stop()
			<-ended
			k.run(0)
			k.check(present(t, k.user.namespace), absent(k.reported(), present(t, k.user.namespace)))
		})
	}
}

// present are the versions of what is there.
func present(t *testing.T, namespace string) map[string]string {
	list, err := stage.client.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "load"})
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, configMap := range list.Items {
		versions[configMap.Name] = configMap.ResourceVersion
	}
	return versions
}

// absent are the objects that were reported and are not there: no name comes twice.
func absent(reported map[string]map[string]bool, present map[string]string) map[string]bool {
	gone := map[string]bool{}
	for name := range reported {
		if _, there := present[name]; !there {
			gone[name] = true
		}
	}
	return gone
}
