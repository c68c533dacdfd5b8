// Package diff finds what changed between two states of one object, field by
// field, as data and as lines for people. It is pure: no I/O, no clock.
//
// The items of a list are matched by the keys that its type declares (containers
// by name, Service ports by port and protocol, conditions by type), taken from
// the schema of the built-in types that client-go carries for server-side apply.
// Lists without such keys, those of custom resources among them, are matched by
// name, key, type, id or uid, the first that tells all items apart; else by
// position, after the equal items at both ends are set aside. A list of scalars
// changes as a whole.
//
// A map that appears or disappears is reported field by field, as if it had been
// empty; so is a list of maps, item by item, but an item is reported as a whole.
package diff
