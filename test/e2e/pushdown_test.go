package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// conditions are values of --by, by type, that a server can select by, that it
// cannot, and that only look as if it could.
var conditions = map[string][]string{
	"pods": {
		"node=node-1", "node=node-2", "node=nowhere", "node=", "node!=", "node!=node-1", "phase=Running", "phase=Pending",
		"phase!=Running", "phase=running", "namespace=shop", "namespace=dev", "namespace!=shop", "namespace=", "label=tier",
		"label=tier=middle", "label!=tier", "label!=tier=middle", "label=app.kubernetes.io/part-of=shop", "label=", "label=tier:middle",
		"spec.nodeName=node-1", ".spec.nodeName!=node-1", "spec.nodeName=", "spec.schedulerName=default-scheduler",
		"spec.hostNetwork=true", "spec.hostNetwork=false", "spec.hostNetwork!=false", "spec.hostNetwork!=true", "spec.hostNetwork=",
		"spec.restartPolicy=Always", "spec.restartPolicy!=Always", "spec.serviceAccountName=default", "status.podIP=", "status.podIPs=",
		"status.nominatedNodeName=", "spec.host=node-1", "spec.containers[*].image=busybox:1.37", "owner!=", "image!=busybox:1.37",
	},
	"nodes":      {"name=node-1", "name!=node-1", "spec.unschedulable=true", "spec.unschedulable=false", "spec.unschedulable!=true", "spec.unschedulable!=false", "label=kubernetes.io/os=linux"},
	"services":   {"spec.type=ClusterIP", "spec.type!=ClusterIP", "spec.clusterIP=None", "spec.clusterIP!=None", "namespace=shop", "name=web"},
	"secrets":    {".type=Opaque", ".type!=Opaque", "namespace=kube-system", "label=", "name!=db-password"},
	"namespaces": {"phase=Active", "phase!=Active", "status.phase=Terminating", "name=shop", "label=kubernetes.io/metadata.name=dev"},
	"jobs":       {"status.successful=1", "status.successful!=0", "status.succeeded=1", "namespace=batch", "label=job-name"},
	"widgets":    {"name=bolt", "namespace=shop", "spec.color=red", "metadata.name=bolt", "metadata.namespace=dev", "label="},
	"events":     {"involvedObject.kind=Pod", "involvedObject.kind!=Pod", ".reason=Scheduled", ".type=Warning", ".source=x", "involvedObject.namespace=shop"},
}

// What --by fixes is left to the server where it can select by it. The answer is the
// one that the same objects give when all of them are in the cache: out of a dump,
// where nothing is left to a server.
func TestWhatIsLeftToTheServerChangesNoAnswer(t *testing.T) {
	const columns = `-o=jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\n"}{end}`
	random := rand.New(rand.NewPCG(1, 2))
	types := make([]string, 0, len(conditions))
	for resource := range conditions {
		types = append(types, resource)
	}
	slices.Sort(types)
	for _, resource := range types {
		t.Run(resource, func(t *testing.T) {
			dump := filepath.Join(t.TempDir(), "dump.json")
			save := func() {
				all := kubectl(t, fixture.admin, "get", resource, "-A", "-o", "json")
				if err := os.WriteFile(dump, []byte(all.Stdout), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			save()
			questions := 2 * len(conditions[resource])
			if testing.Short() {
				questions = 3
			}
			for range questions {
				question := []string{"list", resource, "-A", columns}
				for range 1 + random.IntN(3) {
					question = append(question, "--by", conditions[resource][random.IntN(len(conditions[resource]))])
				}
				for try := 1; ; try++ {
					ours := informer(t, fixture.admin, question...)
					want := informer(t, fixture.admin, append(question, "--from", dump)...)
					got, expected := linesInOrder(ours.Stdout), linesInOrder(want.Stdout)
					if got == expected && ours.Code == want.Code {
						break
					}
					if try == tries {
						t.Fatalf("%q: got exit code %d and\n%s\nwant %d and\n%s", question, ours.Code, got, want.Code, expected)
					}
					save() // something has changed
				}
			}
		})
	}
}

func linesInOrder(text string) string {
	all := slices.Sorted(strings.Lines(text))
	return fmt.Sprint(len(all)) + "\n" + strings.Join(all, "")
}

// verbose asks the plugin in a process of its own, which -v is for.
func verbose(t *testing.T, kubeconfig string, args ...string) harness.Result {
	t.Helper()
	result, err := fixture.programs.Run(t.Context(), fixture.programs.Environ(fixture.home, kubeconfig), "kubectl-informer", args...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A user who may list one namespace alone is answered: nothing else is asked for.
func TestANamespaceThatIsFixedIsAllThatIsAskedFor(t *testing.T) {
	viewer, err := fixture.cluster.Kubeconfig(cluster.Lister, cluster.KubeconfigOptions{Namespace: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	all := verbose(t, viewer, "list", "pods", "-A", "--by", "node=node-1", "-v=6", "-o", "name")
	if all.Code != 0 || !strings.Contains(all.Stderr, "fieldSelector=spec.nodeName%3Dnode-1") {
		t.Errorf("got %+v", all)
	}
	one := verbose(t, viewer, "list", "pods", "-A", "--by", "namespace=shop", "-v=6", "-o", "name")
	if one.Code != 0 || !strings.Contains(one.Stderr, "/namespaces/shop/pods?") {
		t.Errorf("got %+v", one)
	}
	if empty := informer(t, viewer, "list", "pods", "-A", "--by", "phase=running"); !strings.Contains(empty.Stderr, `did you mean "Running"?`) {
		t.Errorf("where nothing is found no hint is given: %+v", empty)
	}
	quiet := verbose(t, viewer, "list", "pods", "-A", "--by", "phase=running", "-q", "-v=6")
	if strings.Contains(quiet.Stderr, "hint: ") || strings.Count(quiet.Stderr, "/pods?") != 1 {
		t.Errorf("with --quiet a hint is looked for: %+v", quiet)
	}
}
