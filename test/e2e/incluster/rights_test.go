package incluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// without returns rules that lack one verb of one of them.
func without(rules []rbacv1.PolicyRule, rule int, verb string) []rbacv1.PolicyRule {
	less := slices.Clone(rules)
	less[rule].Verbs = slices.DeleteFunc(slices.Clone(less[rule].Verbs), func(v string) bool { return v == verb })
	return less
}

// grant gives a manifest's ServiceAccount rights.
func (p *place) grant(m manifest, rules []rbacv1.PolicyRule) {
	p.Helper()
	role, binding := *find[*rbacv1.Role](p.T, m), *find[*rbacv1.RoleBinding](p.T, m)
	role.Rules = slices.DeleteFunc(rules, func(rule rbacv1.PolicyRule) bool { return len(rule.Verbs) == 0 })
	binding.Subjects = slices.Clone(binding.Subjects)
	for n := range binding.Subjects {
		binding.Subjects[n].Namespace = p.namespace // as kubectl apply -n defaults it
	}
	ctx, rbac := p.Context(), stage.client.RbacV1()
	if _, err := stage.client.CoreV1().ServiceAccounts(p.namespace).Create(ctx, find[*corev1.ServiceAccount](p.T, m), metav1.CreateOptions{}); err != nil {
		p.Fatal(err)
	}
	if _, err := rbac.Roles(p.namespace).Create(ctx, &role, metav1.CreateOptions{}); err != nil {
		p.Fatal(err)
	}
	if _, err := rbac.RoleBindings(p.namespace).Create(ctx, &binding, metav1.CreateOptions{}); err != nil {
		p.Fatal(err)
	}
}

// imagined is a pod as a controller would make it of a manifest.
func (p *place) imagined(m manifest) corev1.Pod {
	p.Helper()
	var template corev1.PodTemplateSpec
	for _, object := range m.objects {
		switch object := object.(type) {
		case *appsv1.Deployment:
			template = object.Spec.Template
		case *appsv1.StatefulSet:
			template = object.Spec.Template
		case *batchv1.Job:
			template = object.Spec.Template
			template.Spec.Containers[0].Env = append(template.Spec.Containers[0].Env, corev1.EnvVar{Name: "JOB_COMPLETION_INDEX", Value: "0"})
		case *batchv1.CronJob:
			template = object.Spec.JobTemplate.Spec.Template
		}
	}
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "imagined", Namespace: p.namespace, Labels: map[string]string{appsv1.PodIndexLabel: "0"}},
		Spec:       template.Spec,
	}
}

// What a Role of the manifests allows, other tests need as a whole; and without any verb
// of any of its rules the pod is refused, for the lack of just that.
func TestNoRightOfTheManifestsCanBeLeftOut(t *testing.T) {
	t.Parallel()
	for _, name := range names(t) {
		for n, rule := range find[*rbacv1.Role](t, read(t, name)).Rules {
			for _, verb := range rule.Verbs {
				t.Run(fmt.Sprintf("%s/%s %s", name, verb, rule.Resources[0]), func(t *testing.T) {
					t.Parallel()
					refused(t, name, n, rule.Resources[0], verb)
				})
			}
		}
	}
}

// refused checks what becomes of a manifest's pod that lacks a right.
func refused(t *testing.T, name string, rule int, resource, verb string) {
	p, m := newPlace(t), read(t, name)
	p.grant(m, without(find[*rbacv1.Role](t, m).Rules, rule, verb))
	if verb == "update" { // of a Lease, which exists but for the first time
		free := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: lease}}
		if _, err := stage.client.CoordinationV1().Leases(p.namespace).Create(t.Context(), free, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c := newContainer(t, p.imagined(m), nil)
	// Authorizers learn of rights by watching: at first others may be lacking too.
	p.eventually(func() error {
		ended := c.start().end()
		if ended.Code != 1 || !strings.Contains(ended.Stderr, fmt.Sprintf("cannot %s resource %q", verb, resource)) {
			return fmt.Errorf("without the right to %s %s: %+v", verb, resource, ended)
		}
		if hint := "hint: this needs a Role with the rule"; verb != "watch" && !strings.Contains(ended.Stderr, hint) {
			return fmt.Errorf("there is no hint: %+v", ended)
		}
		return nil
	})
}
