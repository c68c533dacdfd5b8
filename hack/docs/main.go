// Command docs writes the manual pages and the Markdown reference of the plugin
// from its commands, so that neither can tell anything else than --help does.
//
//	go run ./hack/docs DIRECTORY
//
// writes DIRECTORY/man/*.1 and DIRECTORY/reference/*.md, and removes what it
// wrote there for commands that are gone.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docs DIRECTORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// write makes what is in a directory's folders the pages, and nothing else.
func write(directory string) error {
	pages, err := makePages()
	if err != nil {
		return err
	}
	for _, pattern := range []string{manPages, referencePages} {
		old, err := filepath.Glob(filepath.Join(directory, pattern))
		if err != nil {
			return err
		}
		for _, path := range old {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Join(directory, filepath.Dir(pattern)), 0o755); err != nil {
			return err
		}
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(directory, name), page, 0o644); err != nil {
			return err
		}
	}
	return nil
}
