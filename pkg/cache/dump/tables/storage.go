package tables

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	storageutil "k8s.io/kubectl/pkg/util/storage"
	"k8s.io/utils/ptr"
)

func storage() family {
	core, group := corev1.SchemeGroupVersion, storagev1.SchemeGroupVersion
	return family{
		core.WithKind("PersistentVolume"): of(show("Name", "Capacity", "Access Modes", "Reclaim Policy", "Status", "Claim",
			"StorageClass", "VolumeAttributesClass", "Reason", "Age").wide("VolumeMode"), volume),
		core.WithKind("PersistentVolumeClaim"): of(show("Name", "Status", "Volume", "Capacity", "Access Modes",
			"StorageClass", "VolumeAttributesClass", "Age").wide("VolumeMode"), claim),
		group.WithKind("StorageClass"): ofList(show("Name", "Provisioner", "ReclaimPolicy", "VolumeBindingMode",
			"AllowVolumeExpansion", "Age"), storageClasses),
		group.WithKind("VolumeAttributesClass"): of(show("Name", "DriverName", "Age"), func(o *storagev1.VolumeAttributesClass, at clock) []any {
			return []any{o.Name, o.DriverName, at.age(o)}
		}),
		group.WithKind("VolumeAttachment"): volumeAttachments(),
		group.WithKind("CSINode"): of(show("Name", "Drivers", "Age"), func(o *storagev1.CSINode, at clock) []any {
			return []any{o.Name, len(o.Spec.Drivers), at.age(o)}
		}),
		group.WithKind("CSIDriver"): of(show("Name", "AttachRequired", "PodInfoOnMount", "StorageCapacity", "TokenRequests",
			"RequiresRepublish", "Modes", "Age"), csiDriver),
		group.WithKind("CSIStorageCapacity"): of(show("Name", "Created At"), func(o *storagev1.CSIStorageCapacity, _ clock) []any {
			return []any{o.Name, created(o)}
		}),
	}
}

const terminating = "Terminating"

func volume(o *corev1.PersistentVolume, at clock) []any {
	claim := ""
	if ref := o.Spec.ClaimRef; ref != nil {
		claim = ref.Namespace + "/" + ref.Name
	}
	status := string(cmp.Or(o.Status.Phase, corev1.VolumePending))
	if o.DeletionTimestamp != nil {
		status = terminating
	}
	capacity := o.Spec.Capacity[corev1.ResourceStorage]
	return []any{
		o.Name, capacity.String(), storageutil.GetAccessModesAsString(o.Spec.AccessModes),
		cmp.Or(o.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain), status, claim,
		storageutil.GetPersistentVolumeClass(o), derefOr(o.Spec.VolumeAttributesClassName, "<unset>"), o.Status.Reason, at.age(o),
		derefOr(o.Spec.VolumeMode, string(corev1.PersistentVolumeFilesystem)),
	}
}

func claim(o *corev1.PersistentVolumeClaim, at clock) []any {
	status := string(cmp.Or(o.Status.Phase, corev1.ClaimPending))
	if o.DeletionTimestamp != nil {
		status = terminating
	}
	capacity, modes := "", ""
	if o.Spec.VolumeName != "" {
		size := o.Status.Capacity[corev1.ResourceStorage]
		capacity, modes = size.String(), storageutil.GetAccessModesAsString(o.Status.AccessModes)
	}
	return []any{
		o.Name, status, o.Spec.VolumeName, capacity, modes, storageutil.GetPersistentVolumeClaimClass(o),
		derefOr(o.Spec.VolumeAttributesClassName, "<unset>"), at.age(o), derefOr(o.Spec.VolumeMode, string(corev1.PersistentVolumeFilesystem)),
	}
}

// storageClasses marks, in a list, the class that claims get which name none: of those
// that say so, the newest, and of those the first by name.
func storageClasses(classes []*storagev1.StorageClass, q Question) [][]any {
	var chosen *storagev1.StorageClass
	for _, o := range classes {
		if o == nil || q.Named || storageutil.IsDefaultAnnotationText(o.ObjectMeta) != "Yes" {
			continue
		}
		if chosen == nil || chosen.CreationTimestamp.Before(&o.CreationTimestamp) ||
			chosen.CreationTimestamp.Equal(&o.CreationTimestamp) && o.Name < chosen.Name {
			chosen = o
		}
	}
	rows := make([][]any, len(classes))
	for i, o := range classes {
		if o == nil {
			continue
		}
		name := o.Name
		if chosen != nil && name == chosen.Name {
			name += " (default)"
		}
		rows[i] = []any{
			name, o.Provisioner, derefOr(o.ReclaimPolicy, string(corev1.PersistentVolumeReclaimDelete)),
			derefOr(o.VolumeBindingMode, string(storagev1.VolumeBindingImmediate)), ptr.Deref(o.AllowVolumeExpansion, false), clock{q.Now}.age(o),
		}
	}
	return rows
}

// volumeAttachments have two columns that kubectl takes for the object's name.
func volumeAttachments() *Generator {
	columns := show("Name", "Attacher", "PV", "Node", "Attached", "Age")
	columns[1].Format = "name"
	return of(columns, func(o *storagev1.VolumeAttachment, at clock) []any {
		return []any{
			o.Name, o.Spec.Attacher, derefOr(o.Spec.Source.PersistentVolumeName, ""), o.Spec.NodeName, o.Status.Attached, at.age(o),
		}
	})
}

func csiDriver(o *storagev1.CSIDriver, at clock) []any {
	tokens := "<unset>"
	if o.Spec.TokenRequests != nil {
		var audiences []string
		for _, request := range o.Spec.TokenRequests {
			audiences = append(audiences, request.Audience)
		}
		tokens = strings.Join(audiences, ",")
	}
	modes := strings.Join(stringsOf(o.Spec.VolumeLifecycleModes), ",")
	return []any{
		o.Name, ptr.Deref(o.Spec.AttachRequired, true), ptr.Deref(o.Spec.PodInfoOnMount, false), ptr.Deref(o.Spec.StorageCapacity, false),
		tokens, ptr.Deref(o.Spec.RequiresRepublish, false), or(modes, string(storagev1.VolumeLifecyclePersistent)), at.age(o),
	}
}

func stringsOf[T ~string](values []T) []string {
	var texts []string
	for _, v := range values {
		texts = append(texts, string(v))
	}
	return texts
}
