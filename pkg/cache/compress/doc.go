// Package compress keeps the bytes of many similar objects in a fraction of their
// room.
//
// Each object is compressed by itself, with a dictionary of a few objects that came
// before it: one of them is read, replaced or dropped without touching another, and
// there is nothing to be tidied up. Objects of one type mostly differ in names,
// numbers and checksums, so that this comes near to compressing them together.
//
// Few objects are kept as they came: there is no dictionary, and nothing to gain.
package compress
