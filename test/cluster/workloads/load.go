// Package workloads creates the objects that demos and tests look at: the
// rights of the test users, and sample workloads in two sizes. They are plain
// manifests, applied on the server's side, so that applying them again changes
// nothing.
package workloads

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
)

// Size names a set of workloads.
type Size string

const (
	// Small has at least one object of most built-in types, 3 nodes and about
	// 30 pods.
	Small Size = "small"
	// Demo is Small with 6 more nodes and about 100 more pods.
	Demo Size = "demo"
)

//go:embed access small demo
var manifests embed.FS

// ParseSize reads a size as a user spells it.
func ParseSize(text string) (Size, error) {
	switch size := Size(text); size {
	case Small, Demo:
		return size, nil
	default:
		return "", fmt.Errorf("unknown size %q: it is %s or %s", text, Small, Demo)
	}
}

// Access creates the roles and bindings of the test users, and what they refer to.
func Access(ctx context.Context, config *rest.Config) error {
	return apply(ctx, config, "access/*.yaml")
}

// Create creates the sample workloads and returns: no controller need be there
// to act on them.
func Create(ctx context.Context, config *rest.Config, size Size) error {
	for _, folder := range size.folders() {
		if err := apply(ctx, config, folder+"/*.yaml"); err != nil {
			return err
		}
	}
	return nil
}

// Run creates the sample workloads and returns when they are up: nodes Ready,
// pods Running, the Job complete, the claim bound. The nodes come first, so that
// pods spread over all of them.
func Run(ctx context.Context, config *rest.Config, size Size) error {
	for _, folder := range size.folders() {
		if err := apply(ctx, config, folder+"/nodes.yaml"); err != nil {
			return err
		}
	}
	if err := waitUntil(ctx, config, nodesReady); err != nil {
		return err
	}
	if err := Create(ctx, config, size); err != nil {
		return err
	}
	return waitUntil(ctx, config, workloadsReady)
}

func (s Size) folders() []string {
	if s == Demo {
		return []string{"small", "demo"}
	}
	return []string{"small"}
}

// apply applies the objects of some manifests in order: files by name, and each
// file from its beginning.
func apply(ctx context.Context, config *rest.Config, pattern string) error {
	files, err := fs.Glob(manifests, pattern)
	if err != nil {
		return err
	}
	applier, err := newApplier(config)
	if err != nil {
		return err
	}
	for _, file := range files {
		objects, err := decode(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, object := range objects {
			if err := applier.apply(ctx, object); err != nil {
				return fmt.Errorf("%s: %s %s: %w", file, object.GetKind(), object.GetName(), err)
			}
		}
	}
	return nil
}

func decode(name string) ([]*unstructured.Unstructured, error) {
	file, err := manifests.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
	var objects []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

// patience is how long the server may take to serve a new type, and controllers
// to bring everything up.
const patience = 90 * time.Second
