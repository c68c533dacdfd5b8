// Package display decides what of a text that others wrote is shown, and how:
// what could drive a terminal, or hide or reorder text on it, is escaped, what
// is too long is shortened, and what a Secret keeps is masked. Everything that
// prints goes by it, whatever the format. It knows no output and no client.
package display
