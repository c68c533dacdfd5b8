package faults

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-informer/kubectl-informer/test/cluster"
)

const hint = "hint: this needs a Role with the rule {"

// kubernetes-sigs/external-dns#1202: without the right to list, an informer
// tried again for ever, and said nothing.
func TestForbiddenListEndsTheCommandAtOnce(t *testing.T) {
	t.Parallel()
	user := stage.server.user(t, cluster.Nobody)
	kubectl := user.kubectl("get", "pods")
	for _, args := range [][]string{{"list", "pods"}, {"tail", "pods"}, {"tail", "pods", "-o", "json"}, {"list", "pods", "--count-by", "node"}} {
		stderr := user.refused(args...)
		checkSays(t, stderr, lastLine(kubectl.Stderr), hint)
		verbs := "[list]"
		if args[0] == "tail" {
			verbs = "[list, watch]"
		}
		if want := `apiGroups: [""], resources: ["pods"], verbs: ` + verbs + "}"; !strings.Contains(stderr[len(stderr)-1], want) {
			t.Errorf("the hint does not name the rule: %q", stderr)
		}
	}
	checkSays(t, user.refused("list", "nodes"), "Error from server (Forbidden): nodes is forbidden: ", "hint: this needs a ClusterRole ")
}

// The same with a token that the server does not know. Without cached discovery
// it is not even told what types there are.
func TestUnknownTokenEndsTheCommandAtOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	stage.server.userAt(t, home, cluster.Admin).informer("list", "pods")
	unknown := func(config *clientcmdapi.Config) { config.AuthInfos[cluster.Admin].Token = "unknown" }
	for _, user := range []*user{
		stage.server.userAt(t, home, cluster.Admin, unknown),
		stage.server.user(t, cluster.Admin, unknown),
	} {
		kubectl := user.kubectl("get", "pods")
		for _, command := range []string{"list", "tail"} {
			checkSays(t, user.refused(command, "pods"), lastLine(kubectl.Stderr))
		}
	}
}

func createPod(t *testing.T, namespace, name string) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/app"}}},
	}
	if _, err := stage.server.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// The same with a right to list, and none to watch: a list needs no more.
func TestForbiddenWatchComesAfterTheList(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	createPod(t, namespace, "web")
	user := stage.server.user(t, cluster.Lister, in(namespace))
	list := user.informer("list", "pods", "-o", "name")
	if list.Code != 0 || list.Stdout != "pod/web\n" || list.Stderr != "" {
		t.Errorf("list: got %+v", list)
	}
	tail := user.run(atOnce, "kubectl-informer", "tail", "pods", "-o", "json")
	if told := story(t, lines(tail.Stdout)); tail.Code != 1 || !slices.Equal(told, []string{"ADDED web initial"}) {
		t.Errorf("tail: got exit code %d and %q", tail.Code, told)
	}
	checkSays(t, lines(tail.Stderr),
		`Error from server (Forbidden): pods is forbidden: User "lister" cannot watch resource "pods" in API group "" in the namespace "`+namespace+`"`, hint)
}

// skyhook-io/radar PR#477: one type that may not be read kept all others from
// being read.
func TestOthersAreAnsweredBesideAForbiddenType(t *testing.T) {
	t.Parallel()
	namespace := stage.server.newNamespace(t)
	createPod(t, namespace, "web")
	user := stage.server.user(t, cluster.Viewer, in(namespace))
	const forbidden = "Error from server (Forbidden): secrets is forbidden: "
	for _, types := range []string{"pods,secrets", "secrets,pods"} {
		list := user.informer("list", types, "-o", "name")
		if list.Code != 1 || list.Stdout != "pod/web\n" {
			t.Errorf("list %s: got %+v", types, list)
		}
		checkSays(t, lines(list.Stderr), forbidden, hint)
	}
	tail := user.tail("secrets,pods", "-o", "json", "--max-events", "2")
	tail.untilTold("ADDED web initial")
	tail.untilSays(hint, 1)
	createPod(t, namespace, "web-2") // is told, and the last that is asked for
	if result := tail.end(); result.Code != 1 {
		t.Errorf("tail: got exit code %d, want the failure to be remembered", result.Code)
	}
	tail.tells("ADDED web initial", "ADDED web-2")
	tail.says(forbidden, hint)
}

// kubernetes/kubernetes#54079: a right to one object by its name was of no use,
// since the whole collection was asked for.
func TestRightToOneObjectIsEnoughForIt(t *testing.T) {
	t.Parallel()
	user := stage.server.user(t, cluster.One, in("dev"))
	for _, format := range []string{"json", "yaml", "name", "wide"} {
		ours, theirs := user.informer("list", "cm/settings", "-o", format), user.kubectl("get", "cm/settings", "-o", format)
		if format == "wide" { // ages differ
			ours.Stdout, theirs.Stdout = strings.Fields(ours.Stdout)[0], strings.Fields(theirs.Stdout)[0]
		}
		if ours != theirs {
			t.Errorf("-o %s: got %+v, want kubectl's %+v", format, ours, theirs)
		}
	}
	tail := user.tail("cm/settings", "-o", "json")
	tail.untilTold("ADDED settings initial")
	cms := stage.server.configMaps(t, "dev")
	cms.change("settings")
	tail.untilTold("MODIFIED settings")
	cms.delete("settings")
	tail.untilTold("DELETED settings")
	cms.create("settings")
	tail.untilTold("ADDED settings")
	tail.tells("ADDED settings initial", "MODIFIED settings", "DELETED settings", "ADDED settings")
	tail.says()
	tail.endsBy(syscall.SIGINT)

	other := user.kubectl("get", "cm/other")
	checkSays(t, user.refused("list", "cm/other"), lastLine(other.Stderr), hint)
	checkSays(t, user.refused("tail", "cm"), "Error from server (Forbidden): configmaps is forbidden: ", hint)
}

// allow gives a user the rights of an informer to one type, in one namespace,
// and returns what takes them back.
func allow(t *testing.T, name, namespace, resource string) (revoke func()) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: resource},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{"list", "watch"}}},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: resource},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: resource},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: name}},
	}
	bindings := stage.server.RbacV1().RoleBindings(namespace)
	if _, err := stage.server.RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := bindings.Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := bindings.Delete(t.Context(), resource, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// untilAllowed waits until a user may read some types: rights follow a moment later.
func (u *user) untilAllowed(types string) {
	u.t.Helper()
	eventually(u.t, func() error {
		if result := u.kubectl("get", types); result.Code != 0 {
			return errors.New(result.Stderr)
		}
		return nil
	})
}

// untilDenied waits until a user may no longer read a type.
func (u *user) untilDenied(resource string) {
	u.t.Helper()
	eventually(u.t, func() error {
		if result := u.kubectl("get", resource); result.Code == 0 {
			return errors.New("the right is still there")
		}
		return nil
	})
}

// A right that is revoked while its objects are watched was missed in silence
// for as long as the watcher ran.
func TestRevokedRightEndsItsTypeAlone(t *testing.T) {
	t.Parallel()
	proxy, namespace := stage.server.tcpProxy(t), stage.server.newNamespace(t)
	revoke := allow(t, cluster.Nobody, namespace, "secrets")
	allow(t, cluster.Nobody, namespace, "configmaps")
	user := stage.server.user(t, cluster.Nobody, through(proxy.URL()), in(namespace))
	user.untilAllowed("secrets,configmaps")
	cms := stage.server.configMaps(t, namespace)
	tail := user.tail("secrets,configmaps", "-o", "json", "--sync-events", "--max-events", "1")
	tail.until(func(stdout, _ []string) bool { return len(stdout) == 2 })

	revoke()
	user.untilDenied("secrets")
	proxy.Cut() // a watch that is open is not asked for its rights again
	const forbidden = "Error from server (Forbidden): secrets is forbidden: "
	tail.untilSays(hint, 1)
	cms.create("a") // the other type goes on
	if result := tail.end(); result.Code != 1 {
		t.Errorf("got exit code %d, want 1", result.Code)
	}
	if told := story(t, tail.Lines()); told[len(told)-1] != "ADDED a" {
		t.Errorf("told %q", told)
	}
	if said := tail.Notices(); count(said, forbidden) != 1 || count(said, hint) != 1 || len(said) > 4 {
		t.Errorf("says %q, want the server's words once", said)
	}
}
