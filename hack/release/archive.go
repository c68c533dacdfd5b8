package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// archive builds the plugin for this platform and packs it as GoReleaser does:
// the same source makes the same bytes, wherever and whenever.
func (c config) archive(ctx context.Context, version string) ([]byte, error) {
	for _, hook := range c.Before.Hooks {
		if err := c.run(ctx, strings.Fields(hook)); err != nil {
			return nil, err
		}
	}
	files, err := c.documents(version)
	if err != nil {
		return nil, err
	}
	program, err := c.program(ctx, version)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	packed := tar.NewWriter(compressed)
	// GoReleaser puts the program behind all other files.
	for _, file := range append(files, program) {
		if err := file.addTo(packed); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(packed.Close(), compressed.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// entry is a file of the archive.
type entry struct {
	name, path string
	info       fileInfo
}

// documents returns all files but the program, sorted by name.
func (c config) documents(version string) ([]entry, error) {
	var entries []entry
	for _, file := range c.Archives[0].Files {
		pattern, err := expand(file.Src, version)
		if err != nil {
			return nil, err
		}
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			return nil, errors.Join(fmt.Errorf("there is no file %s to pack", pattern), err)
		}
		for _, found := range paths {
			entries = append(entries, entry{path.Join(file.Dst, filepath.Base(found)), found, file.Info})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return entries, nil
}

// program builds the plugin. What the configuration sets for the build keeps this
// machine's settings out of it.
func (c config) program(ctx context.Context, version string) (entry, error) {
	build := c.Builds[0]
	flags, err := expand(strings.Join(build.LDFlags, " "), version)
	if err != nil {
		return entry{}, err
	}
	built := filepath.Join(".cache", "release", build.Binary)
	args := slices.Concat([]string{"go", "build"}, build.Flags, []string{"-ldflags", flags, "-o", built, build.Main})
	return entry{build.Binary, built, c.Archives[0].BuildsInfo}, c.run(ctx, args)
}

// run runs a command in the environment of the build.
func (c config) run(ctx context.Context, args []string) error {
	build := c.Builds[0]
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Env = append(command.Environ(), build.Env...)
	command.Env = append(command.Env, "GOAMD64="+build.GOAMD64[0], "GOARM64="+build.GOARM64[0])
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (e entry) addTo(packed *tar.Writer) error {
	content, err := os.ReadFile(e.path)
	if err != nil {
		return err
	}
	if err := packed.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(content)), Mode: int64(e.info.Mode.Perm()),
		Uname: e.info.Owner, Gname: e.info.Group, ModTime: e.info.MTime,
	}); err != nil {
		return err
	}
	_, err = packed.Write(content)
	return err
}
