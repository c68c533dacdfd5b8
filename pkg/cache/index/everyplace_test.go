package index

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// servedKinds are the kinds of client-go's scheme that are objects of their own.
// A Scale is only ever part of another; the group "extensions" has not been
// served since Kubernetes 1.22. With -short they are those of stable versions.
func servedKinds() map[schema.GroupVersionKind]reflect.Type {
	kinds := maps.Clone(scheme.Scheme.AllKnownTypes())
	maps.DeleteFunc(kinds, func(kind schema.GroupVersionKind, typ reflect.Type) bool {
		field, ok := typ.FieldByName("ObjectMeta")
		return !ok || field.Type != reflect.TypeFor[metav1.ObjectMeta]() || kind.Kind == "Scale" ||
			kind.Version == runtime.APIVersionInternal || kind.Group == "extensions" ||
			testing.Short() && strings.ContainsAny(kind.Version, "ab")
	})
	return kinds
}

// placesOf say by the names of fields, and not by this package's tables, where
// the kinds of Kubernetes name what an index is about.
func placesOf() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"configmap":      regexp.MustCompile(`[cC]onfigMap(Ref|KeyRef)?\.name$`),
		"image":          regexp.MustCompile(`ontainers\[\*\]\.image$|\.image\.reference$`),
		"node":           regexp.MustCompile(`(^|\.)nodeName$|(^|\.)(source|deprecatedSource)\.host$`),
		"phase":          regexp.MustCompile(`^status\.phase$`),
		"pvc":            regexp.MustCompile(`\.claimName$|\.claimRef\.name$`),
		"secret":         regexp.MustCompile(`[sS]ecret(s\[\*\]|Ref|KeyRef)?\.name$|\.secretName$`),
		"serviceaccount": regexp.MustCompile(`(^|\.)serviceAccount(Name|\.name)?$`),
	}
}

// excused are places that the index leaves alone on purpose.
func excused(kind, place string) bool {
	switch kind {
	case "Node": // the kubelet's dynamic configuration, gone since Kubernetes 1.24, and a phase nobody sets
		return strings.Contains(place, "onfigMap") || place == "status.phase"
	case "ResourcePoolStatusRequest": // the answer to a question about devices, not about a node
		return place == "status.pools[*].nodeName"
	}
	return false
}

// own are the places that stand for the object itself, and those that are made up.
func own(name string, kind schema.GroupKind) []string {
	switch kind {
	case schema.GroupKind{Kind: "ConfigMap"}, schema.GroupKind{Kind: "Node"}, schema.GroupKind{Kind: "Secret"},
		schema.GroupKind{Kind: "ServiceAccount"}:
		if strings.EqualFold(name, kind.Kind) {
			return []string{"metadata.name"}
		}
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}:
		if name == "pvc" {
			return []string{"metadata.name"}
		}
	case schema.GroupKind{Group: "storage.k8s.io", Kind: "CSINode"}:
		if name == "node" {
			return []string{"metadata.name"}
		}
	case schema.GroupKind{Kind: "Pod"}:
		if name == "pvc" {
			return []string{"metadata.name-spec.volumes[*].name"}
		}
	}
	return nil
}

// A new Kubernetes may name a Secret in a place that did not exist when the
// tables of this package were written: then this test says which.
func TestNoPlaceOfAnyKindIsForgotten(t *testing.T) {
	registry := mustRegistry(t)
	patterns := placesOf()
	for kind, typ := range servedKinds() {
		object := reflect.New(typ)
		namePlaces(object.Elem(), "")
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object.Interface())
		if err != nil {
			t.Fatal(err)
		}
		all := leaves(content, "")
		row := rowOfMap(t, content)
		row.APIVersion, row.Kind = kind.ToAPIVersionAndKind()
		for name, pattern := range patterns {
			want := own(name, kind.GroupKind())
			for _, place := range all {
				if pattern.MatchString(place) && !excused(kind.Kind, place) {
					want = append(want, place)
				}
			}
			d, err := registry.Lookup(targetOf(kind), name)
			if err != nil {
				if len(want) > 0 {
					t.Errorf("%s cannot have index %q, but names one at %q", kind, name, want)
				}
				continue
			}
			if len(want) == 0 && !madeOfMore(name, kind) {
				t.Errorf("%s can have index %q, but has no place for it", kind, name)
			}
			wantValues(t, d, row, want)
		}
	}
}

// madeOfMore are indexes whose values cannot be told from one field's name.
func madeOfMore(name string, kind schema.GroupVersionKind) bool {
	switch kind.Kind {
	case "ControllerRevision": // holds a pod template as raw JSON
		return true
	case "RoleBinding", "ClusterRoleBinding", "Secret":
		return name == "serviceaccount"
	case "Event":
		return name == "node"
	}
	return false
}

func TestConditionsOfEveryKindThatHasThem(t *testing.T) {
	for kind, typ := range servedKinds() {
		object := reflect.New(typ)
		namePlaces(object.Elem(), "")
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object.Interface())
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, place := range leaves(content, "") {
			if found, ok := strings.CutSuffix(place, "onditions[*].type"); ok && (found == "status.c" || found == "c") {
				want = append(want, place+"="+strings.TrimSuffix(place, "type")+"status")
			}
		}
		names := indexNames(mustRegistry(t).For(targetOf(kind)))
		old := kind == schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "HorizontalPodAutoscaler"}
		if has := slices.Contains(names, "condition"); has != (len(want) > 0 || old) {
			t.Errorf("%s: index condition: %v, conditions in its type: %q", kind, has, want)
		} else if has {
			wantValues(t, mustLookup(t, targetOf(kind), "condition"), rowOfMap(t, content), want)
		}
	}
}

// The groups are those of client-go, and those that an API server has before any
// type is defined.
func TestEveryGroupOfKubernetesIsKnown(t *testing.T) {
	var served struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	text, err := os.ReadFile("../dump/types.json")
	if err == nil {
		err = json.Unmarshal(text, &served)
	}
	if err != nil || len(served.Items) < 15 {
		t.Fatalf("%d groups, %v", len(served.Items), err)
	}
	groups := map[string]bool{}
	for _, group := range served.Items {
		groups[group.Metadata.Name] = true
	}
	for kind := range servedKinds() {
		groups[kind.Group] = true
	}
	for group := range groups {
		if !IsKubernetes(group) {
			t.Errorf("group %q would be read as a custom resource's", group)
		}
	}
	for _, group := range []string{"extensions", "example.com", "snapshot.storage.k8s.io", "gateway.networking.k8s.io"} {
		if IsKubernetes(group) {
			t.Errorf("group %q is none of Kubernetes' own", group)
		}
	}
}

func indexNames(definitions []Definition) []string {
	var names []string
	for _, d := range definitions {
		names = append(names, d.Name)
	}
	return names
}
