// Package state keeps in a file what a run has reported of each object, so that the
// next run can report what has changed since.
//
// A File (file.go) belongs to one question to one cluster (question.go). Of each object
// it holds a record (record.go): the object in the form in which the stream keeps it.
// A Journal (journal.go) writes what has been reported, in transactions of all that
// waits (commit.go).
//
// Whatever may be reported only once is written to the file before it is reported: an
// object that is about to be ADDED, or to leave the selection, is unconfirmed until it
// has been reported. So a run that is killed at any moment repeats, and loses nothing:
// an object that was reported and is deleted before the next run is known to it.
//
// The store is bbolt. Its file is mapped into memory, so that damage to it shows as a
// panic or as a memory fault: guarded (file.go) makes both errors.
package state
