package dump

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// readText reads a dump from stdin, and returns what was wrong with it too.
func readText(t testing.TB, text string) (*Dump, error) {
	t.Helper()
	d, err := Read(context.Background(), []string{"-"}, strings.NewReader(text))
	if d == nil {
		t.Fatal(err)
	}
	return d, err
}

// mustRead reads a dump that is without fault.
func mustRead(t testing.TB, text string) *Dump {
	t.Helper()
	d, err := readText(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// names are the objects of a dump, as VERSION/KIND/NAMESPACE/NAME, sorted.
func names(d *Dump) []string {
	var all []string
	for gvk, objects := range d.objects {
		for _, o := range objects {
			all = append(all, strings.Join([]string{gvk.GroupVersion().String(), gvk.Kind, o.namespace, o.name}, "/"))
		}
	}
	slices.Sort(all)
	return all
}

// faultsOf are the messages of the errors that are joined in err.
func faultsOf(err error) []string {
	if err == nil {
		return nil
	}
	var all []string
	for line := range strings.Lines(err.Error()) {
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// folder writes files below a new directory.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readFolder reads files below a directory.
func readFolder(t testing.TB, files map[string]string) (*Dump, error) {
	t.Helper()
	d, err := Read(context.Background(), []string{folder(t, files)}, nil)
	if d == nil {
		t.Fatal(err)
	}
	return d, err
}

// list lists a Target of a dump, as of 10:05 on 1 May 2024.
func list(t testing.TB, d *Dump, target cache.Target, form cache.Representation) ([]*cache.Row, error) {
	t.Helper()
	now := time.Date(2024, time.May, 1, 10, 5, 0, 0, time.UTC)
	rows, err := d.ListerWatcher(target, form, now).ListWithContext(t.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return rows.(*cache.RowList).Items, nil
}

// failingReader breaks off.
type failingReader struct{ text io.Reader }

func (r *failingReader) Read(p []byte) (int, error) {
	n, err := r.text.Read(p)
	if errors.Is(err, io.EOF) {
		err = errors.New("the disk is broken")
	}
	return n, err
}
