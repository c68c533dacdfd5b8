// Package fieldpath is about the paths on which people and indexes reach into
// objects: it parses them, spells them, and says which parts of an object they
// read and which values are there.
//
//   - Expression is one JSONPath as kubectl reads it: --for, --changed, --sort-by.
//   - Path is the field path of an index, which reads quoted keys as one key and
//     goes on where a single item of a list does not fit.
//   - Tree is a set of paths: what a template reads, what an index walks. Its Needs
//     decide in which Representation objects are fetched.
//   - JSONPathReads and GoTemplateReads say where a template starts, so that one
//     that starts at the wrong place is refused before anything is printed.
//
// client-go's parser and evaluator do the JSONPath.
package fieldpath
