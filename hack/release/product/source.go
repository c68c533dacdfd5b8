package product

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Source is the tree that a release is made from.
type Source struct {
	// Root is the folder of the repository.
	Root string
	// Version is that of the release, as in the file VERSION.
	Version string
	// Toolchain is the Go release that builds, as in the file go.mod: another one
	// would make other bytes.
	Toolchain string
}

// Open reads what a release is called and which Go builds it. It is an error
// if the files VERSION and go.mod under root do not say so.
func Open(root string) (Source, error) {
	version, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return Source{}, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return Source{}, err
	}
	source := Source{Root: root, Version: strings.TrimSpace(string(version))}
	if !regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(source.Version) {
		return Source{}, fmt.Errorf("the file VERSION has %q, which is no version such as v1.2.3", source.Version)
	}
	toolchain := regexp.MustCompile(`(?m)^toolchain (go\S+)\r?$`).FindSubmatch(mod)
	if toolchain == nil {
		return Source{}, errors.New("go.mod has no toolchain line to say which Go builds a release")
	}
	source.Toolchain = string(toolchain[1])
	return source, nil
}
