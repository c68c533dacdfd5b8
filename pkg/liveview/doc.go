// Package liveview is the view behind `list --live`: the rows of tables, kept in order
// while events come, what of them is on the screen, and what keys do to it.
//
// A Model is driven by events, keys and the clock. It knows no terminal, starts no
// goroutine and never asks the time: whoever has them hands them over, and draws what
// is visible on a Canvas. What is off the screen costs its place in the order only.
package liveview
