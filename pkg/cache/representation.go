package cache

import "strings"

// Representation is the form in which objects are fetched and kept: a set of
// parts, of which metadata (without managedFields) is always one.
type Representation uint8

const (
	// Metadata alone: names, labels, annotations, owners, times.
	Metadata Representation = 0
	// Cells are the server's Table cells, with the columns they belong to.
	Cells Representation = 1 << (iota - 1)
	// Whole is the object with every field.
	Whole
	// ManagedFields keeps managedFields, which are dropped otherwise.
	ManagedFields
)

// Has says whether every part of p is in r.
func (r Representation) Has(p Representation) bool { return r&p == p }

// String names the parts, for plans shown at -v=4.
func (r Representation) String() string {
	parts := []string{"metadata"}
	for _, p := range []struct {
		part Representation
		name string
	}{{Cells, "cells"}, {Whole, "whole objects"}, {ManagedFields, "managedFields"}} {
		if r.Has(p.part) {
			parts = append(parts, p.name)
		}
	}
	return strings.Join(parts, "+")
}
