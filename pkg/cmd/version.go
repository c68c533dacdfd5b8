package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/completion"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

// version is set at link time by a release build.
var version string

// versionInfo is what `version` prints.
type versionInfo struct {
	Version   string `json:"version"`
	ClientGo  string `json:"clientGo"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

// versionFlags are the flags of the command `version`.
type versionFlags struct {
	streams process.Streams
	output  string
}

func newVersion(streams process.Streams) *cobra.Command {
	f := &versionFlags{streams: streams}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the plugin and of its client-go",
		Example: templates.Examples(`
			# Print the version
			kubectl informer version

			# Print it as JSON
			kubectl informer version -o json`),
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := f.validate(); err != nil {
				return err
			}
			return f.run()
		},
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "One of 'yaml' or 'json'.")
	completion.Flag(cmd, "output", completion.OneOf("json", "yaml"))
	return cmd
}

func (f *versionFlags) validate() error {
	switch f.output {
	case "", "json", "yaml":
		return nil
	}
	return errors.New("--output must be 'yaml' or 'json'")
}

func (f *versionFlags) run() error {
	info := versionInfo{
		Version:   cmp.Or(version, "v0.0.0-dev"),
		ClientGo:  "unknown",
		GoVersion: runtime.Version(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		info.Version = cmp.Or(version, mainVersion(build), info.Version)
		info.ClientGo = cmp.Or(moduleVersion(build, "k8s.io/client-go"), info.ClientGo)
	}
	var text []byte
	var err error
	switch f.output {
	case "":
		text = fmt.Appendf(nil, "kubectl-informer %s (client-go %s, %s, %s)", info.Version, info.ClientGo, info.GoVersion, info.Platform)
	case "json":
		text, err = json.MarshalIndent(info, "", "  ")
	case "yaml":
		if text, err = yaml.Marshal(info); err == nil {
			text = text[:len(text)-1]
		}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f.streams.Out, "%s\n", text)
	return err
}

// mainVersion is the version of the plugin that the go command knows: that of
// `go install …@v1.2.3`, or one made of the state of a checkout.
func mainVersion(build *debug.BuildInfo) string {
	if build.Main.Version == "(devel)" {
		return ""
	}
	return build.Main.Version
}

// moduleVersion finds the version of a module this binary is built with.
func moduleVersion(build *debug.BuildInfo, path string) string {
	for _, module := range build.Deps {
		if module.Path == path {
			return module.Version
		}
	}
	return ""
}
