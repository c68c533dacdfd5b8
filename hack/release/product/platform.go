// Package product makes what a release consists of: the plugin's program for
// each platform, and the archive that it comes in.
package product

import (
	"fmt"
	"runtime"
	"slices"
)

// Platform is what a program runs on, in Go's words.
type Platform struct{ OS, Arch string }

// Platforms returns every platform of a release, sorted.
func Platforms() []Platform {
	var all []Platform
	for _, system := range []string{"darwin", "linux", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, Platform{OS: system, Arch: arch})
		}
	}
	return all
}

// Here returns the platform that this program runs on. It is an error if no
// release is made for it.
func Here() (Platform, error) {
	here := Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if !slices.Contains(Platforms(), here) {
		return Platform{}, fmt.Errorf("no release is made for %s", here)
	}
	return here, nil
}

// String returns the platform as OS/ARCH.
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// Program is the name of the plugin's program.
func (p Platform) Program() string {
	if p.OS == "windows" {
		return "kubectl-informer.exe"
	}
	return "kubectl-informer"
}

// Completer is the name of the program that kubectl asks for completions.
func (p Platform) Completer() string {
	if p.OS == "windows" {
		return "kubectl_complete-informer.cmd"
	}
	return "kubectl_complete-informer"
}

// ArchiveName is the file name of the platform's archive in a release.
func (p Platform) ArchiveName(version string) string {
	extension := "tar.gz"
	if p.OS == "windows" {
		extension = "zip"
	}
	return fmt.Sprintf("kubectl-informer_%s_%s_%s.%s", version, p.OS, p.Arch, extension)
}
