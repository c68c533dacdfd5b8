package cmd

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/kubectl/pkg/util/templates"
	"sigs.k8s.io/yaml"
)

// version is set at link time by a release build.
var version = "v0.0.0-dev"

// versionInfo is what `version` tells.
type versionInfo struct {
	Version   string `json:"version"`
	ClientGo  string `json:"clientGo"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

func newVersion(streams Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the plugin and of the client-go it is built with",
		Example: templates.Examples(`
			# Print the version
			kubectl informer version

			# Print it as JSON
			kubectl informer version -o json`),
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return printVersion(streams, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "One of 'yaml' or 'json'.")
	completeFlag(cmd, "output", oneOf("json", "yaml"))
	return cmd
}

func printVersion(streams Streams, output string) error {
	info := versionInfo{
		Version:   version,
		ClientGo:  moduleVersion("k8s.io/client-go"),
		GoVersion: runtime.Version(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
	}
	var text []byte
	var err error
	switch output {
	case "":
		text = fmt.Appendf(nil, "kubectl-informer %s (client-go %s, %s, %s)", info.Version, info.ClientGo, info.GoVersion, info.Platform)
	case "json":
		text, err = json.MarshalIndent(info, "", "  ")
	case "yaml":
		if text, err = yaml.Marshal(info); err == nil {
			text = text[:len(text)-1]
		}
	default:
		err = fmt.Errorf("--output must be 'yaml' or 'json'")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(streams.Out, "%s\n", text)
	return err
}

// moduleVersion finds the version of a module this binary is built with.
func moduleVersion(path string) string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == path {
				return module.Version
			}
		}
	}
	return "unknown"
}
