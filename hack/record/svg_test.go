package main

import (
	"encoding/xml"
	"errors"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestTheCommandsFitIntoTheTerminal(t *testing.T) {
	for _, scene := range scenes() {
		for _, text := range []string{"# " + scene.about, "$ " + scene.command} {
			if clip(text) != text {
				t.Errorf("wider than %d columns: %s", columns, text)
			}
		}
	}
}

func TestTheRecordingIsOfTheseCommandsAndNamesNoMachine(t *testing.T) {
	picture, err := os.ReadFile(filepath.FromSlash("../../docs/session.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, scene := range scenes() {
		if !strings.Contains(string(picture), html.EscapeString("$ "+scene.command)) {
			t.Errorf("not in docs/session.svg, which `make recording` writes: %s", scene.command)
		}
	}
	if found := regexp.MustCompile(`127\.0\.0\.1|localhost|/tmp/|/home/|/root/|:\d{4,5}\b`).Find(picture); found != nil {
		t.Errorf("docs/session.svg has %q", found)
	}
}

func TestColoursBecomeClassesAndTextStaysText(t *testing.T) {
	for text, want := range map[string]string{
		"plain <&>":                        "plain &lt;&amp;&gt;",
		"\x1b[32mADDED\x1b[0m  web":        `<tspan class="g">ADDED</tspan>  web`,
		"\x1b[31mDELETED  web\x1b[0m":      `<tspan class="r">DELETED  web</tspan>`,
		strings.Repeat("ä", columns) + "b": strings.Repeat("ä", columns),
	} {
		if got := spans(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestThePictureIsXMLAndHasEveryLine(t *testing.T) {
	var lines []line
	for i := range 2 * rows {
		lines = append(lines, line{text: "a < b", at: time.Duration(i) * time.Second})
	}
	picture := string(draw(lines, time.Minute))
	if got := strings.Count(picture, "a &lt; b"); got != len(lines) {
		t.Errorf("%d lines, want %d", got, len(lines))
	}
	if !strings.Contains(picture, "translateY(-540px)") {
		t.Error("the last line does not come into sight")
	}
	for decoder := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
