package state

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// isThere says whether there is a file, and refuses what is none, or cannot be a state.
func isThere(path string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, &Error{Path: path, Err: cannot("be read", err)}
	case info.IsDir():
		return false, &Error{Path: path, Err: errors.New("is a folder"), Advice: "name a file in it"}
	case info.Mode()&fs.ModeSymlink != 0:
		return false, &Error{Path: path, Err: errors.New("is a symbolic link"), Advice: "name the file itself"}
	case !info.Mode().IsRegular():
		return false, &Error{Path: path, Err: errors.New("is not a regular file"), Advice: "name another FILE"}
	case info.Size() == 0:
		return false, &Error{Path: path, Err: errors.New("is empty: it is no state, or was cut off"), Advice: "delete it to begin anew"}
	}
	return true, nil
}

// create makes a file that is complete from its first moment: it is written under
// another name, in the same folder.
func create(path string, q Question) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return &Error{Path: path, Err: cannot("be created", err)}
	}
	name := temporary.Name()
	defer os.Remove(name)
	if err := errors.Join(temporary.Close(), fill(name, q)); err != nil {
		return &Error{Path: path, Err: cannot("be created", err)}
	}
	// A link, unlike a rename, leaves a file alone that another process has made
	// meanwhile. Some file systems have none.
	err = os.Link(name, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(name, path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return &Error{Path: path, Err: cannot("be created", err)}
	}
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		_ = folder.Sync() // not every system can
		_ = folder.Close()
	}
	return nil
}

// fill writes an empty state. CreateTemp has made the file for the user alone.
func fill(path string, q Question) error {
	db, err := bbolt.Open(path, 0o600, options())
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketAbout, bucketTypes, bucketColumns} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		if err := tx.Bucket(bucketAbout).Put([]byte(keyFormat), []byte(format)); err != nil {
			return err
		}
		return writeQuestion(tx, q.about())
	})
	return errors.Join(err, db.Close())
}

func options() *bbolt.Options {
	return &bbolt.Options{Timeout: lockTimeout, FreelistType: bbolt.FreelistMapType, NoStatistics: true}
}

func writeQuestion(tx *bbolt.Tx, a about) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return tx.Bucket(bucketAbout).Put([]byte(keyQuestion), text)
}
