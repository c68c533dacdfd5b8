// Package archive packs files so that the same files make the same bytes, on
// every machine and at any time: in the order given, without a clock, an owner
// or an umask. GoReleaser, built with the same Go and told the same times and
// owners, makes these bytes too.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"time"
)

// owner is who files in an archive belong to, by name and with number 0.
const owner = "root"

// File is a regular file in an archive.
type File struct {
	// Name is a path with slashes.
	Name string
	// Mode is the permissions.
	Mode    fs.FileMode
	Content []byte
}

// Modified is the time that every file in an archive has.
func Modified() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// TarGz packs the files, in their order, into a compressed tar archive.
func TarGz(files []File) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	packed := tar.NewWriter(compressed)
	for _, file := range files {
		if err := addToTar(packed, file); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(packed.Close(), compressed.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func addToTar(packed *tar.Writer, file File) error {
	if err := packed.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg,
		Name:     file.Name,
		Size:     int64(len(file.Content)),
		Mode:     int64(file.Mode.Perm()),
		Uname:    owner,
		Gname:    owner,
		ModTime:  Modified(),
	}); err != nil {
		return err
	}
	_, err := packed.Write(file.Content)
	return err
}

// Zip packs the files, in their order, into a zip archive.
func Zip(files []File) ([]byte, error) {
	var out bytes.Buffer
	packed := zip.NewWriter(&out)
	packed.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	for _, file := range files {
		header := &zip.FileHeader{Name: file.Name, Method: zip.Deflate, Modified: Modified()}
		header.SetMode(file.Mode.Perm())
		entry, err := packed.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(file.Content); err != nil {
			return nil, err
		}
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
