package cmd

import (
	"errors"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

var somePods = cache.Target{
	Resource:   schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Namespaced: true,
	Namespace:  "shop",
}

func forbidden() error {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New(`User "dev" cannot list`))
}

// consoleTo returns a console whose stderr is a writer.
func consoleTo(stderr io.Writer) *process.Console {
	return process.NewConsole(process.Streams{IOStreams: genericiooptions.IOStreams{ErrOut: stderr}})
}

// target is a type in all namespaces.
func target(resource string) cache.Target {
	return cache.Target{Resource: schema.GroupVersionResource{Version: "v1", Resource: resource}}
}
