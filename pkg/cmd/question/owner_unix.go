//go:build unix

package question

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// writableByOthers is the permission that lets anybody write.
const writableByOthers fs.FileMode = 0o002

// ownedAlone says why what is at path is not the user's own.
func ownedAlone(path string, info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (uid %d)", path, owner.Uid)
	case info.Mode()&writableByOthers != 0:
		return fmt.Errorf("%s can be written by everybody", path)
	}
	return nil
}
