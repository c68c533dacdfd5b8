package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"text/template"
	"time"

	"sigs.k8s.io/yaml"
)

// config is what of GoReleaser's configuration says how an archive is made.
type config struct {
	Before struct{ Hooks []string }
	Builds []struct {
		Main, Binary   string
		Env            []string
		Flags, LDFlags []string
		GOAMD64        []string `json:"goamd64"`
		GOARM64        []string `json:"goarm64"`
	}
	Archives []struct {
		BuildsInfo fileInfo `json:"builds_info"`
		Files      []packedFile
	}
}

// packedFile is a file, or a pattern of files, that goes into the archive.
type packedFile struct {
	Src, Dst string
	Info     fileInfo
}

type fileInfo struct {
	Mode         fs.FileMode
	Owner, Group string
	MTime        time.Time
}

func readConfig(path string) (config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return config{}, err
	}
	var read config
	if err := yaml.Unmarshal(text, &read); err != nil {
		return config{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(read.Builds) != 1 || len(read.Archives) != 1 {
		return config{}, fmt.Errorf("%s has %d builds and %d archives, want one of each", path, len(read.Builds), len(read.Archives))
	}
	return read, nil
}

// expand fills in GoReleaser's fields for this platform.
func expand(text, version string) (string, error) {
	parsed, err := template.New("").Parse(text)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, map[string]string{
		"Version": strings.TrimPrefix(version, "v"), "Os": runtime.GOOS, "Arch": runtime.GOARCH,
	})
	return out.String(), err
}
