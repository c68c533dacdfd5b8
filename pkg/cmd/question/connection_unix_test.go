//go:build unix

package question

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/process"
)

func TestTheCacheIsMadeForTheUserAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "cache")
	if err := prepareCacheDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{"../", "", "discovery", "http"} {
		info, err := os.Stat(filepath.Join(dir, made))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%q: got %v, %v", made, info.Mode(), err)
		}
	}
}

func TestACacheThatOthersCanWriteToIsNotUsed(t *testing.T) {
	for name, test := range map[string]struct {
		arrange func(dir string) error
		want    string
	}{
		"its own":                   {func(string) error { return nil }, ""},
		"a link to another of ours": {func(dir string) error { return os.Symlink(filepath.Dir(dir), filepath.Join(dir, "http")) }, ""},
		"open to all":               {func(dir string) error { return os.Chmod(dir, 0o777) }, "can be written by everybody"}, //nolint:gosec // that is the fault
		"a part open to all": {func(dir string) error {
			part := filepath.Join(dir, "discovery", "server_443")
			if err := os.MkdirAll(part, 0o700); err != nil {
				return err
			}
			return os.Chmod(part, 0o777) //nolint:gosec // that is the fault
		}, "server_443 can be written by everybody"},
		"a link that leads nowhere": {func(dir string) error { return os.Symlink("/nowhere/at/all", filepath.Join(dir, "http")) }, "is a link that leads nowhere"},
		"a link to a place of all":  {func(dir string) error { return os.Symlink("/tmp", filepath.Join(dir, "http")) }, "http"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := test.arrange(dir); err != nil {
				t.Fatal(err)
			}
			err := prepareCacheDir(dir)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestADiscoveryThatIsNotCachedIsToldOnceAndWritesNothing(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(elsewhere, 0o777); err != nil { //nolint:gosec // that is the fault
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	c := NewConnection(process.NewConsole(process.Streams{IOStreams: genericiooptions.IOStreams{ErrOut: &stderr}}))
	server := "http://127.0.0.1:1"
	c.Flags.CacheDir, c.Flags.APIServer = &dir, &server
	for range 2 {
		client, err := c.Getter().ToDiscoveryClient()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.ServerGroups(); err == nil {
			t.Error("nobody is there")
		}
	}
	want := "Warning: discovery is not cached: " + dir + " can be written by everybody; --cache-dir names another folder\n"
	if stderr.String() != want {
		t.Errorf("got %q, want %q", stderr.String(), want)
	}
	if held, err := os.ReadDir(elsewhere); err != nil || len(held) > 0 {
		t.Errorf("got %v, %v", held, err)
	}
}
