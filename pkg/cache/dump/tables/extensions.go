package tables

import (
	"slices"
	"strings"

	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// extensions is what makes a server serve more types, and store those that it has.
func extensions() family {
	return family{
		apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"): of(
			show("Name", "Scope", "Versions", "Created At").wide("Group", "Kind", "ShortNames", "Established"), definition),
		schema.GroupVersionKind{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"}: of(
			show("Name", "Service", "Available", "Age"), aggregated),
		storagemigrationv1.SchemeGroupVersion.WithKind("StorageVersionMigration"): migrations(),
	}
}

func definition(o *apiextensionsv1.CustomResourceDefinition, _ clock) []any {
	var versions []string
	for _, v := range o.Spec.Versions {
		switch {
		case v.Served && v.Storage:
			versions = append(versions, v.Name+"(storage)")
		case v.Served:
			versions = append(versions, v.Name)
		}
	}
	slices.Sort(versions)
	established := func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	}
	return []any{
		o.Name, o.Spec.Scope, strings.Join(versions, ","), created(o),
		o.Spec.Group, o.Spec.Names.Kind, strings.Join(o.Spec.Names.ShortNames, ","), slices.ContainsFunc(o.Status.Conditions, established),
	}
}

// apiService is what is read of an APIService, whose Go types belong to another module.
type apiService struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Service *metav1.ObjectMeta `json:"service"` // namespace and name
	} `json:"spec"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

func aggregated(o *apiService, at clock) []any {
	service, available := "Local", "Unknown"
	if s := o.Spec.Service; s != nil {
		service = s.Namespace + "/" + s.Name
	}
	for _, c := range o.Status.Conditions {
		if c.Type != "Available" {
			continue
		}
		available = string(c.Status)
		if c.Status != metav1.ConditionTrue && c.Reason != "" {
			available += " (" + c.Reason + ")"
		}
		break
	}
	return []any{o.Name, service, available, at.age(o)}
}

// migrations have no column that kubectl takes for the object's name.
func migrations() *Generator {
	columns := show("Name", "Resource", "Status")
	columns[0].Format = ""
	return of(columns, func(o *storagemigrationv1.StorageVersionMigration, _ clock) []any {
		status := "Unknown"
		for _, c := range o.Status.Conditions {
			switch storagemigrationv1.MigrationConditionType(c.Type) {
			case storagemigrationv1.MigrationRunning, storagemigrationv1.MigrationFailed, storagemigrationv1.MigrationSucceeded:
				if c.Status == metav1.ConditionTrue {
					status = c.Type
				}
			}
		}
		return []any{o.Name, o.Spec.Resource.String(), status}
	})
}
