package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// heading prints the first lines of a Markdown table.
func heading(out io.Writer, columns ...string) {
	line(out, columns...)
	line(out, slices.Repeat([]string{"---"}, len(columns))...)
}

func line(out io.Writer, cells ...string) { fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | ")) }

// longest is how long a command may be in the table: lists of values are cut.
const longest = 160

// title is the question with the commands that are asked it.
func (q question) title() string {
	plugin := "kubectl informer " + q.plugin
	if q.each != "" {
		plugin += fmt.Sprintf(" (%d lines: %s)", strings.Count(q.stdin, "\n"), q.each)
	}
	theirs := code(q.kubectl)
	if q.times > 1 {
		theirs += fmt.Sprintf(", times %d", q.times)
	}
	return fmt.Sprintf("%s: %s, %s", q.name, theirs, code(plugin))
}

// code is a command in a cell of a Markdown table.
func code(command string) string {
	if len(command) > longest {
		command = command[:longest] + "…"
	}
	return "`" + strings.ReplaceAll(command, "|", `\|`) + "`"
}

// row prints what a question cost: kubectl, ours, and our share.
func row(out io.Writer, name string, theirs, ours cost) {
	line(out, name,
		compared(seconds(theirs.cpu), seconds(ours.cpu), theirs.cpu.Seconds(), ours.cpu.Seconds()),
		compared(megabytes(theirs.rss), megabytes(ours.rss), float64(theirs.rss), float64(ours.rss)),
		compared(seconds(theirs.wall), seconds(ours.wall), theirs.wall.Seconds(), ours.wall.Seconds()),
		compared(megabytes(theirs.received), megabytes(ours.received), float64(theirs.received), float64(ours.received)),
		compared(seconds(theirs.server), seconds(ours.server), theirs.server.Seconds(), ours.server.Seconds()))
}

func compared(theirs, ours string, x, y float64) string {
	return fmt.Sprintf("%s, %s: %s", theirs, ours, ratio(x, y))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func microseconds(d time.Duration) string { return fmt.Sprintf("%d µs", d.Microseconds()) }

func megabytes(bytes int64) string {
	if bytes < 10<<20 {
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}

// ratio is how many times less ours is, or how many times more.
func ratio(theirs, ours float64) string {
	switch {
	case theirs <= 0 || ours <= 0:
		return "-"
	case ours <= theirs:
		return fmt.Sprintf("1/%.1f", theirs/ours)
	default:
		return fmt.Sprintf("%.1f", ours/theirs)
	}
}
