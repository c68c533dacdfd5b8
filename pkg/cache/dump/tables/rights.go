package tables

import (
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/duration"
)

// rights is who may do what, and the certificates that say who somebody is.
func rights() family {
	rbac, certificates := rbacv1.SchemeGroupVersion, certificatesv1.SchemeGroupVersion
	bindings := show("Name", "Role", "Age").wide("Users", "Groups", "ServiceAccounts")
	return family{
		rbac.WithKind("Role"): of(show("Name", "Created At"), func(o *rbacv1.Role, _ clock) []any {
			return []any{o.Name, created(o)}
		}),
		rbac.WithKind("ClusterRole"): of(show("Name", "Created At"), func(o *rbacv1.ClusterRole, _ clock) []any {
			return []any{o.Name, created(o)}
		}),
		rbac.WithKind("RoleBinding"): of(bindings, func(o *rbacv1.RoleBinding, at clock) []any {
			return append([]any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, at.age(o)}, subjects(o.Subjects)...)
		}),
		rbac.WithKind("ClusterRoleBinding"): of(bindings, func(o *rbacv1.ClusterRoleBinding, at clock) []any {
			return append([]any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, at.age(o)}, subjects(o.Subjects)...)
		}),
		certificates.WithKind("CertificateSigningRequest"): of(
			show("Name", "Age", "SignerName", "Requestor", "RequestedDuration", "Condition"), signingRequest),
		certificates.WithKind("ClusterTrustBundle"): of(show("Name", "SignerName"), func(o *certificatesv1.ClusterTrustBundle, _ clock) []any {
			return []any{o.Name, orNone(o.Spec.SignerName)}
		}),
		certificates.WithKind("PodCertificateRequest"): of(
			show("Name", "PodName", "ServiceAccountName", "NodeName", "SignerName", "State", "UnverifiedUserAnnotations"), podCertificate),
	}
}

// subjects are users, groups and service accounts, a cell each.
func subjects(all []rbacv1.Subject) []any {
	names := map[string][]string{}
	for _, s := range all {
		name := s.Name
		if s.Kind == rbacv1.ServiceAccountKind {
			name = s.Namespace + "/" + s.Name
		}
		names[s.Kind] = append(names[s.Kind], name)
	}
	var cells []any
	for _, kind := range []string{rbacv1.UserKind, rbacv1.GroupKind, rbacv1.ServiceAccountKind} {
		cells = append(cells, strings.Join(names[kind], ", "))
	}
	return cells
}

func signingRequest(o *certificatesv1.CertificateSigningRequest, at clock) []any {
	requested := "<none>"
	if o.Spec.ExpirationSeconds != nil {
		requested = duration.HumanDuration(time.Duration(*o.Spec.ExpirationSeconds) * time.Second)
	}
	is := map[certificatesv1.RequestConditionType]bool{}
	for _, c := range o.Status.Conditions {
		is[c.Type] = true
	}
	condition := "Pending"
	switch {
	case is[certificatesv1.CertificateDenied]:
		condition = "Denied"
	case is[certificatesv1.CertificateApproved]:
		condition = "Approved"
	}
	if is[certificatesv1.CertificateFailed] {
		condition += ",Failed"
	}
	if len(o.Status.Certificate) > 0 {
		condition += ",Issued"
	}
	return []any{o.Name, at.age(o), orNone(o.Spec.SignerName), o.Spec.Username, requested, condition}
}

func podCertificate(o *certificatesv1.PodCertificateRequest, _ clock) []any {
	state := "Pending"
	for _, c := range o.Status.Conditions {
		switch c.Type {
		case certificatesv1.PodCertificateRequestConditionTypeIssued,
			certificatesv1.PodCertificateRequestConditionTypeDenied,
			certificatesv1.PodCertificateRequestConditionTypeFailed:
			state = c.Type
		}
	}
	return []any{
		o.Name, o.Spec.PodName, o.Spec.ServiceAccountName, o.Spec.NodeName, o.Spec.SignerName, state,
		labels.FormatLabels(o.Spec.UnverifiedUserAnnotations),
	}
}
