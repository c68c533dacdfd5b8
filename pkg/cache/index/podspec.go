package index

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/fieldpath"
)

// podSpecOf returns where objects of a built-in kind hold a pod spec, and
// whether they hold one.
func podSpecOf(kind schema.GroupKind) (path string, ok bool) {
	switch kind {
	case schema.GroupKind{Kind: "Pod"}:
		return "spec", true
	case schema.GroupKind{Kind: "PodTemplate"}:
		return "template.spec", true
	case schema.GroupKind{Kind: "ReplicationController"},
		schema.GroupKind{Group: "apps", Kind: "Deployment"},
		schema.GroupKind{Group: "apps", Kind: "ReplicaSet"},
		schema.GroupKind{Group: "apps", Kind: "StatefulSet"},
		schema.GroupKind{Group: "apps", Kind: "DaemonSet"},
		schema.GroupKind{Group: "batch", Kind: "Job"}:
		return "spec.template.spec", true
	case schema.GroupKind{Group: "batch", Kind: "CronJob"}:
		return "spec.jobTemplate.spec.template.spec", true
	case schema.GroupKind{Group: "apps", Kind: "ControllerRevision"}:
		return "data.spec.template.spec", true
	}
	return "", false
}

// inPodSpec reads the index's places of the one pod spec of a built-in kind.
func inPodSpec(name, path string) source {
	s := at(under(path, podPlaces(name)...)...)
	s.reads = podReads(name) + " in ." + path
	return s
}

// inAnyPodSpec reads the index's places of every pod spec found in an object of
// a type that nobody here knows.
func inAnyPodSpec(name string) source {
	places := fieldpath.NewTree(podPlaces(name)...)
	return source{
		reads: podReads(name) + " in every pod spec it holds",
		needs: cache.Whole,
		values: func(v *view, value func(string)) {
			for _, spec := range podSpecsIn(v.maps()) {
				places.Walk(reflect.ValueOf(spec), func(node reflect.Value) { fieldpath.Texts(node, value) })
			}
		},
	}
}

// maxDepth bounds the search for pod specs. The deepest known in the wild, a job
// template in a list in a spec, is at half of it.
const maxDepth = 16

// podSpecsIn finds the pod specs that a custom resource embeds, wherever its
// authors put them. Its metadata cannot hold one; its status names other objects.
func podSpecsIn(object map[string]any) []map[string]any {
	var found []map[string]any
	for name, child := range object {
		if name != "metadata" && name != "status" {
			found = appendPodSpecs(found, child, maxDepth)
		}
	}
	return found
}

func appendPodSpecs(found []map[string]any, node any, depth int) []map[string]any {
	if depth == 0 {
		return found
	}
	switch node := node.(type) {
	case []any:
		for _, element := range node {
			found = appendPodSpecs(found, element, depth-1)
		}
	case map[string]any:
		if isPodSpec(node) {
			return append(found, node)
		}
		for _, child := range node {
			found = appendPodSpecs(found, child, depth-1)
		}
	}
	return found
}

// isPodSpec knows a pod spec by what every one must have: containers with names.
func isPodSpec(node map[string]any) bool {
	containers, _ := node["containers"].([]any)
	for _, element := range containers {
		container, _ := element.(map[string]any)
		if name, _ := container["name"].(string); name == "" {
			return false
		}
	}
	return len(containers) > 0
}

// podReads says what podPlaces reads, in words.
func podReads(name string) string {
	switch name {
	case "node":
		return "nodeName"
	case "image":
		return "the images of all containers and volumes"
	case "serviceaccount":
		return "serviceAccountName"
	case "configmap":
		return "every ConfigMap named by volumes, env and envFrom"
	case "secret":
		return "every Secret named by volumes, env, envFrom and imagePullSecrets"
	default:
		return "every PersistentVolumeClaim named by volumes"
	}
}

// podPlaces returns every place of a pod spec that can name one of what the
// index is about.
func podPlaces(name string) []string {
	switch name {
	case "node":
		return []string{"nodeName"}
	case "image":
		return append(inContainers("image"), "volumes[*].image.reference")
	case "serviceaccount":
		return []string{"serviceAccountName", "serviceAccount"}
	case "configmap":
		return append(inContainers("env[*].valueFrom.configMapKeyRef.name", "envFrom[*].configMapRef.name"),
			"volumes[*].configMap.name",
			"volumes[*].projected.sources[*].configMap.name")
	case "secret":
		return append(append(inContainers("env[*].valueFrom.secretKeyRef.name", "envFrom[*].secretRef.name"),
			under("volumes[*]", volumeSecrets()...)...),
			"volumes[*].secret.secretName",
			"volumes[*].projected.sources[*].secret.name",
			"volumes[*].csi.nodePublishSecretRef.name",
			"imagePullSecrets[*].name")
	default:
		return []string{"volumes[*].persistentVolumeClaim.claimName"}
	}
}

// volumeSecrets are the places that pods' volumes and PersistentVolumes have in
// common: the credentials of in-tree and flex drivers.
func volumeSecrets() []string {
	return []string{
		"azureFile.secretName",
		"cephfs.secretRef.name",
		"cinder.secretRef.name",
		"flexVolume.secretRef.name",
		"iscsi.secretRef.name",
		"rbd.secretRef.name",
		"scaleIO.secretRef.name",
		"storageos.secretRef.name",
	}
}

func inContainers(paths ...string) []string {
	var places []string
	for _, list := range []string{"containers[*]", "initContainers[*]", "ephemeralContainers[*]"} {
		places = append(places, under(list, paths...)...)
	}
	return places
}
