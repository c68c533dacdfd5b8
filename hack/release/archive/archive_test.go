package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func files() []File {
	return []File{
		{Name: "LICENSE", Mode: 0o644, Content: []byte("free")},
		{Name: "man/program.1", Mode: 0o644, Content: bytes.Repeat([]byte("page "), 1000)},
		{Name: "program", Mode: 0o755, Content: []byte{0, 1, 2}},
	}
}

// A time in gzip's header made each archive another one.
func TestTarGzHasNoClockInIt(t *testing.T) {
	packed, err := TarGz(files())
	if err != nil {
		t.Fatal(err)
	}
	compressed, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if stamp := binary.LittleEndian.Uint32(packed[4:8]); stamp != 0 || compressed.Name != "" {
		t.Errorf("gzip's header has the time %d and the name %q", stamp, compressed.Name)
	}
	var got []File
	for entries := tar.NewReader(compressed); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		checkTime(t, header.Name, header.ModTime)
		if header.Uid != 0 || header.Gid != 0 || header.Uname != "root" || header.Gname != "root" {
			t.Errorf("%s belongs to %d %s, %d %s", header.Name, header.Uid, header.Uname, header.Gid, header.Gname)
		}
		content, err := io.ReadAll(entries)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, File{Name: header.Name, Mode: fs.FileMode(header.Mode), Content: content})
	}
	if diff := cmp.Diff(files(), got); diff != "" {
		t.Error(diff)
	}
}

func TestZipKeepsModesAndTimes(t *testing.T) {
	packed, err := Zip(files())
	if err != nil {
		t.Fatal(err)
	}
	entries, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var got []File
	for _, entry := range entries.File {
		checkTime(t, entry.Name, entry.Modified)
		content, err := fs.ReadFile(entries, entry.Name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, File{Name: entry.Name, Mode: entry.Mode(), Content: content})
	}
	if diff := cmp.Diff(files(), got); diff != "" {
		t.Error(diff)
	}
}

func checkTime(t *testing.T, name string, got time.Time) {
	t.Helper()
	if !got.Equal(Modified()) {
		t.Errorf("%s is of %s, want %s", name, got, Modified())
	}
}
