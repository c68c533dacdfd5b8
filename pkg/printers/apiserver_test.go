package printers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ServeHTTP is an API server that can discover and get.
func (c testCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/api":
		answer(w, metav1.APIVersions{Versions: []string{"v1"}})
	case r.URL.Path == "/apis":
		answer(w, c.apiGroups())
	case path[0] == "api" && len(path) == 2:
		answer(w, c.apiResources(schema.GroupVersion{Version: path[1]}))
	case path[0] == "api" && len(path) == 4 && path[2] == "namespaces":
		answer(w, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": path[3]}})
	case path[0] == "api":
		c.serveObjects(w, r, path[2:])
	case len(path) == 3:
		answer(w, c.apiResources(schema.GroupVersion{Group: path[1], Version: path[2]}))
	default:
		c.serveObjects(w, r, path[3:])
	}
}

func (c testCluster) apiGroups() metav1.APIGroupList {
	var list metav1.APIGroupList
	for _, typ := range c {
		if typ.Group != "" {
			version := metav1.GroupVersionForDiscovery{GroupVersion: typ.GroupVersion().String(), Version: typ.Version}
			list.Groups = append(list.Groups, metav1.APIGroup{
				Name: typ.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version})
		}
	}
	return list
}

func (c testCluster) apiResources(gv schema.GroupVersion) metav1.APIResourceList {
	list := metav1.APIResourceList{GroupVersion: gv.String()}
	for _, typ := range c {
		if typ.GroupVersion() == gv {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: typ.resource, Kind: typ.Kind, Namespaced: typ.namespaced, Verbs: []string{"get", "list", "watch"}})
		}
	}
	return list
}

func (c testCluster) serveObjects(w http.ResponseWriter, r *http.Request, path []string) {
	namespace := ""
	if path[0] == "namespaces" && len(path) > 2 {
		namespace, path = path[1], path[2:]
	}
	typ := c.typed(path[0])
	var chosen []testObject
	for _, object := range typ.objects {
		if (namespace == "" || object.namespace() == namespace) && (len(path) == 1 || object.name() == path[1]) {
			chosen = append(chosen, object)
		}
	}
	if len(path) > 1 && len(chosen) == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(metav1.Status{Status: "Failure", Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound,
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Message: fmt.Sprintf("%s %q not found", path[0], path[1])})
		return
	}
	chosen, rest := page(chosen, r)
	meta := map[string]any{"resourceVersion": "7", "continue": rest}
	switch {
	case typ.columns != nil && strings.Contains(r.Header.Get("Accept"), "as=Table"):
		answer(w, typ.table(chosen, meta, r.URL.Query().Get("includeObject") == "Object"))
	case len(path) > 1:
		answer(w, chosen[0].body)
	default:
		items := []any{}
		for _, object := range chosen {
			items = append(items, object.body)
		}
		answer(w, map[string]any{"apiVersion": typ.GroupVersion().String(), "kind": typ.Kind + "List", "metadata": meta, "items": items})
	}
}

func page(objects []testObject, r *http.Request) (chosen []testObject, rest string) {
	start, _ := strconv.Atoi(r.URL.Query().Get("continue"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	objects = objects[start:]
	if limit == 0 || len(objects) <= limit {
		return objects, ""
	}
	return objects[:limit], strconv.Itoa(start + limit)
}

func (t *testType) table(objects []testObject, meta map[string]any, whole bool) map[string]any {
	rows := []any{}
	for _, object := range objects {
		shown := map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object.body["metadata"]}
		if whole {
			shown = object.body
		}
		rows = append(rows, map[string]any{"cells": object.cells, "object": shown})
	}
	return map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "Table", "metadata": meta, "columnDefinitions": t.columns, "rows": rows}
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(body); err != nil {
		panic(err)
	}
	_, _ = w.Write(buf.Bytes())
}
