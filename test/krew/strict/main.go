// Command strict reads a manifest of krew's from stdin with krew's own types,
// and fails for a field that they do not have: krew itself overlooks it.
package main

import (
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/krew/pkg/index"
	"sigs.k8s.io/yaml"
)

func main() {
	manifest, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = yaml.UnmarshalStrict(manifest, &index.Plugin{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
