package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"time"
	"unicode/utf8"
)

// What a line can contain besides text. The two that are our own are drawn in the
// terminal's colours too.
const (
	escape    = "\x1b["
	eraseLine = "\r\x1b[K"
	comment   = "\x1b[2m"
	prompt    = "\x1b[1m"
	plain     = "\x1b[0m"
)

// The picture's measures, in pixels.
const (
	charWidth  = 8.43
	lineHeight = 18
	margin     = 14
)

// classes names the colours that escape sequences begin.
func classes() map[string]string {
	return map[string]string{"1": "b", "2": "d", "31": "r", "32": "g", "33": "y"}
}

const style = `
rect{fill:#ffffff;stroke:#d1d9e0}
text{fill:#1f2328;white-space:pre}
.b{font-weight:bold}.d{fill:#59636e}.r{fill:#cf222e}.g{fill:#1a7f37}.y{fill:#9a6700}
@media (prefers-color-scheme:dark){
rect{fill:#0d1117;stroke:#3d444d}
text{fill:#e6edf3}
.d{fill:#9198a1}.r{fill:#ff7b72}.g{fill:#56d364}.y{fill:#e3b341}
}
@media (prefers-reduced-motion:reduce){*{animation:none!important}}
`

// font is set as attributes, which every renderer knows.
const font = `font-size="14" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"`

// draw returns an SVG in which each line appears at its time, and which begins
// anew at the end. The lines move up when the screen is full. Where nothing
// moves, the first screen is seen.
func draw(lines []line, end time.Duration) []byte {
	width := columns*charWidth + 2*margin
	height := rows*lineHeight + 2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img">`+"\n",
		width, height, width, height)
	b.WriteString("<title>kubectl informer in a terminal</title>\n<style>" + style)
	for i, at := range times(lines) {
		fmt.Fprintf(&b, "@keyframes a%d{0%%,%s{visibility:hidden}%s,100%%{visibility:visible}}\n",
			i, percent(at, end), percent(at+time.Millisecond, end))
		fmt.Fprintf(&b, ".a%d{animation:a%d %.1fs infinite}\n", i, i, end.Seconds())
	}
	fmt.Fprintf(&b, "@keyframes up{%s}\n#lines{animation:up %.1fs steps(1) infinite}\n", scrolling(lines, end), end.Seconds())
	b.WriteString("</style>\n")
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%.0f" height="%d" rx="8"/>`+"\n", width-1, height-1)
	fmt.Fprintf(&b, `<svg x="%d" y="%d" width="%.0f" height="%d"><g id="lines" %s>`+"\n",
		margin, margin, columns*charWidth, rows*lineHeight, font)
	moment := -1
	var last time.Duration = -1
	for i, one := range lines {
		if one.at != last {
			moment, last = moment+1, one.at
		}
		if one.text != "" {
			fmt.Fprintf(&b, `<text class="a%d" y="%d" xml:space="preserve">%s</text>`+"\n", moment, i*lineHeight+lineHeight-5, spans(one.text))
		}
	}
	b.WriteString("</g></svg>\n</svg>\n")
	return b.Bytes()
}

// times returns the moments at which lines appear, each once.
func times(lines []line) []time.Duration {
	var moments []time.Duration
	for _, one := range lines {
		if len(moments) == 0 || moments[len(moments)-1] != one.at {
			moments = append(moments, one.at)
		}
	}
	return moments
}

// scrolling is how far up the lines are at which time.
func scrolling(lines []line, end time.Duration) string {
	frames := []string{"0%{transform:translateY(0)}"}
	for i := rows; i < len(lines); i++ {
		if i+1 < len(lines) && lines[i+1].at == lines[i].at {
			continue
		}
		frames = append(frames, fmt.Sprintf("%s{transform:translateY(%dpx)}", percent(lines[i].at, end), (rows-1-i)*lineHeight))
	}
	return strings.Join(frames, "")
}

func percent(at, end time.Duration) string {
	return fmt.Sprintf("%.3f%%", 100*at.Seconds()/end.Seconds())
}

// spans turns a line with its escape sequences into text with classes.
func spans(text string) string {
	var b strings.Builder
	class := ""
	for i, part := range strings.Split(clip(text), escape) {
		if i > 0 {
			var code string
			code, part, _ = strings.Cut(part, "m")
			class = classes()[code]
		}
		switch {
		case part == "":
		case class == "":
			b.WriteString(html.EscapeString(part))
		default:
			fmt.Fprintf(&b, `<tspan class="%s">%s</tspan>`, class, html.EscapeString(part))
		}
	}
	return b.String()
}

// clip cuts what a terminal would wrap.
func clip(text string) string {
	width := 0
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], escape) {
			i += strings.IndexByte(text[i:], 'm') + 1
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		if width++; width > columns {
			return text[:i] + plain
		}
		i += size
	}
	return text
}
