// Command docs writes the reference in Markdown or the manual pages of the plugin
// from its commands, so that neither can say anything else than --help does.
//
//	go run ./hack/docs reference DIRECTORY
//	go run ./hack/docs man DIRECTORY
//	go run ./hack/docs table FILE
//
// It removes the pages in DIRECTORY of commands that are gone. The table of flags by
// purpose takes the place of the one in FILE.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: docs reference|man DIRECTORY, or docs table FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// write makes the pages of a form the only ones of that form in a directory, or
// writes the table in a file.
func write(form, directory string) error {
	if form == "table" {
		return writeTable(directory)
	}
	chosen, found := forms()[form]
	if !found {
		return fmt.Errorf("there is no form %q of the pages, only reference, man and table", form)
	}
	pages, err := chosen.pages()
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(directory, "*"+chosen.ending))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(directory, name), page, 0o644); err != nil {
			return err
		}
	}
	return nil
}
