package e2e

import (
	"crypto/rand"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

// applyRights creates the roles that users are told to create.
func applyRights(t *testing.T) {
	t.Helper()
	if got := kubectl(t, fixture.admin, "apply", "-f", filepath.FromSlash("../../docs/rbac.yaml")); got.Code != 0 {
		t.Fatalf("%+v", got)
	}
}

// person is somebody who is in no group but one, and has no rights but what that
// one has: none, if it is empty.
type person struct{ name, group string }

// run runs a command as the person.
func (p person) run(t *testing.T, args ...string) harness.Result {
	t.Helper()
	args = append(args, "--as", p.name)
	if p.group != "" {
		args = append(args, "--as-group", p.group)
	}
	return informer(t, fixture.admin, args...)
}

// must runs a command until it succeeds: authorizers learn of rights by watching.
// Its output must have the text in it.
func (p person) must(t *testing.T, want string, args ...string) {
	t.Helper()
	err := harness.Eventually(t.Context(), func() error {
		got := p.run(t, args...)
		if got.Code != 0 || got.Stderr != "" || !strings.Contains(got.Stdout, want) {
			return fmt.Errorf("%s: %q: %+v, want %q", p.name, args, got, want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTheDocumentedRightsAreEnoughForTheCluster(t *testing.T) {
	applyRights(t)
	reader := person{"rita", "informer-readers"}
	for want, args := range map[string][]string{
		"deployment.apps/web\n":       {"list", "deployments", "-A", "-o", "name"},
		"deployment.apps/cart\n":      {"list", "pods,services,deployments,jobs,configmaps,nodes,namespaces,events,storageclasses,crds", "-A", "-o", "name"},
		"ADDED":                       {"tail", "pods,deployments,nodes", "-A", "--max-events", "5"},
		"deployment.apps/playground ": {"wait", "deployments", "-A", "--for=create", "--by", "name=playground"},
		"--by node=":                  {"indexes", "pods"},
		"pod/":                        {"list", "pods", "-n", "shop", "--by", "image=@deploy/web", "-o", "name"},
	} {
		reader.must(t, want, args...)
	}
	reader.mustAnswer(t, "pods", "-A")
	if got := reader.run(t, "list", "secrets", "-A"); got.Code != 1 || !strings.Contains(got.Stderr, "secrets is forbidden") {
		t.Errorf("Secrets are left out on purpose: %+v", got)
	}
}

func TestTheDocumentedRightsAreEnoughForANamespace(t *testing.T) {
	applyRights(t)
	reader := person{"shirin", "shop-readers"}
	for want, args := range map[string][]string{
		"deployment.apps/web\n": {"list", "deployments,pods", "-n", "shop", "-o", "name"},
		"ADDED":                 {"tail", "pods,deployments", "-n", "shop", "--max-events", "5"},
		"deployment.apps/web ":  {"wait", "deployment/web", "-n", "shop", "--for=create"},
		"--by node=":            {"indexes", "pods"},
		"4":                     {"list", "deployments", "--count-by", "namespace", "-n", "shop", "--no-headers"},
	} {
		reader.must(t, want, args...)
	}
	reader.mustAnswer(t, "pods", "-n", "shop")
	for forbidden, args := range map[string][]string{
		`in the namespace "dev"`: {"list", "pods", "-n", "dev"},
		"at the cluster scope":   {"list", "pods", "-A"},
		"configmaps is":          {"tail", "configmaps", "-n", "shop"},
	} {
		if got := reader.run(t, args...); got.Code != 1 || !strings.Contains(got.Stderr, forbidden) {
			t.Errorf("%q: got %+v, want %q", args, got, forbidden)
		}
	}
}

// mustAnswer asks two questions with one sync.
func (p person) mustAnswer(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"query"}, append(args, "--as", p.name, "--as-group", p.group)...)
	command := fixture.programs.Command(t.Context(), fixture.programs.Environ(fixture.home, fixture.admin), "kubectl-informer", args...)
	command.Stdin = strings.NewReader("--count-by phase -o name\n-o name --limit 1\n")
	if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "Running\n") || strings.Count(string(out), "---\n") != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

// hinted finds the rule that a hint names, and the namespace it is for, if any.
var hinted = regexp.MustCompile(`(?m)^hint: this needs a (Role|ClusterRole) with the rule (\{.*\}) (?:in namespace "(.*)"|for the whole cluster)$`)

// Whoever is refused is told a rule. An administrator who grants just that has
// done what it takes.
func TestTheRuleOfAHintIsEnough(t *testing.T) {
	for _, test := range []struct {
		want string
		args []string
	}{
		{"deployment.apps/web\n", []string{"list", "deployments", "-n", "shop", "-o", "name"}},
		{"deployment.apps/playground\n", []string{"list", "deployments", "-A", "-o", "name"}},
		{"configmap/settings\n", []string{"list", "configmap", "settings", "-n", "dev", "-o", "name"}},
		{"ADDED", []string{"tail", "nodes", "--max-events", "1"}},
		{"configmap/settings ", []string{"wait", "configmap/settings", "-n", "dev", "--for=create"}},
		{"widget.factory.example.com/", []string{"list", "widgets", "-n", "shop", "-o", "name"}},
	} {
		refused := person{name: "newcomer-" + strings.ToLower(rand.Text())}
		got := refused.run(t, test.args...)
		hint := hinted.FindStringSubmatch(got.Stderr)
		if got.Code != 1 || !strings.Contains(got.Stderr, "(Forbidden)") || len(hint) == 0 {
			t.Fatalf("%q: %+v", test.args, got)
		}
		var rule rbacv1.PolicyRule
		if err := yaml.UnmarshalStrict([]byte(hint[2]), &rule); err != nil {
			t.Fatalf("%v: %s", err, hint[2])
		}
		if err := grant(t, client(t), refused.name, hint[1], hint[3], rule); err != nil {
			t.Fatal(err)
		}
		refused.must(t, test.want, test.args...)
	}
}

// grant gives a user a rule, by a Role in a namespace or by a ClusterRole.
func grant(t *testing.T, client kubernetes.Interface, user, kind, namespace string, rule rbacv1.PolicyRule) error {
	t.Helper()
	meta := metav1.ObjectMeta{Name: user, Namespace: namespace}
	rules := []rbacv1.PolicyRule{rule}
	to := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: user}
	subjects := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}
	ctx, rbac := t.Context(), client.RbacV1()
	if kind == "ClusterRole" {
		if _, err := rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{}); err != nil {
			return err
		}
		_, err := rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: to, Subjects: subjects}, metav1.CreateOptions{})
		return err
	}
	if _, err := rbac.Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := rbac.RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: to, Subjects: subjects}, metav1.CreateOptions{})
	return err
}
