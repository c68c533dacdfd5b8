// Command release makes what GoReleaser is too slow for, or does not make: this
// platform's archive, byte for byte as GoReleaser makes it from .goreleaser.yaml,
// and krew's manifests, from krew-release-bot's template .krew.yaml. It is run at
// the top of the tree, by the targets of the Makefile.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

const usage = `usage: release archive     build this platform's archive and krew's manifest of it into dist/
       release manifest    write krew-manifest.yaml for the archives of the release in dist/
       release compare     compare krew-manifest.yaml with the archives of the release in dist/`

const (
	dist = "dist"
	// manifestFile is the manifest of the last release, in the tree.
	manifestFile = "krew-manifest.yaml"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New(usage)
	}
	content, err := os.ReadFile("VERSION")
	if err != nil {
		return err
	}
	version := strings.TrimSpace(string(content))
	switch args[0] {
	case "archive":
		return development(ctx, version+"-dev")
	case "manifest":
		return writeManifest(version)
	case "compare":
		return compareManifest(version)
	}
	return errors.New(usage)
}

// development makes this platform's archive, and a manifest for it alone.
func development(ctx context.Context, version string) error {
	if runtime.GOOS == "windows" {
		return errors.New("only GoReleaser makes archives for Windows: `make release-archives`")
	}
	config, err := readConfig(".goreleaser.yaml")
	if err != nil {
		return err
	}
	archive, err := config.archive(ctx, version)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("kubectl-informer_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
	manifest, err := partialManifest(version, map[string]string{name: sum(archive)})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	// Without version and platform, so that documents can name the files.
	return errors.Join(
		write(filepath.Join(dist, "kubectl-informer.tar.gz"), archive),
		write(filepath.Join(dist, "informer.yaml"), manifest))
}

func write(path string, content []byte) error {
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return err
	}
	fmt.Println(path)
	return nil
}
