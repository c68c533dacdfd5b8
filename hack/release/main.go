// Command release makes the archives of a release, and the manifests with
// which krew installs them. It is run at the top of the tree; `make
// release-archives`, `krew-manifest` and `release-check` run it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/kubectl-informer/kubectl-informer/hack/release/product"
)

const usage = `usage: release archives [-here]    build the archives into dist/
       release manifest          write krew's manifests from the archives in dist/
       release check [-here]     build the archives and compare krew's manifests
       release compare           compare krew's manifests with the archives in dist/

-here leaves all platforms but this one as they are`

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
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprintln(flags.Output(), usage) }
	here := flags.Bool("here", false, "")
	if len(args) == 0 {
		return errors.New(usage)
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	source, err := product.Open(".")
	if err != nil {
		return err
	}
	platforms := product.Platforms()
	if *here {
		platform, err := product.Here()
		if err != nil {
			return err
		}
		platforms = []product.Platform{platform}
	}
	release := release{source: source, platforms: platforms, dist: "dist", log: os.Stderr}
	switch args[0] {
	case "archives":
		return release.archives(ctx)
	case "manifest":
		return release.manifest()
	case "check":
		if err := release.archives(ctx); err != nil {
			return err
		}
		return release.compare()
	case "compare":
		return release.compare()
	}
	return errors.New(usage)
}
