package handler

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
)

// chunks is a writer that remembers what each single write held.
type chunks []string

func (c *chunks) Write(p []byte) (int, error) {
	if len(p) > 0 {
		*c = append(*c, string(p))
	}
	return len(p), nil
}

func TestAStreamIsPassedOnInWholeLines(t *testing.T) {
	for name, test := range map[string]struct{ write, want []string }{
		"a line at once":           {[]string{"one\n"}, []string{"one\n"}},
		"a line in pieces":         {[]string{"o", "n", "e\n"}, []string{"one\n"}},
		"lines and a piece":        {[]string{"one\ntwo\nthr", "ee\n"}, []string{"one\ntwo\n", "three\n"}},
		"no newline at the end":    {[]string{"one\ntwo"}, []string{"one\n", "two"}},
		"progress in one line":     {[]string{"10%\r", "20%\r"}, []string{"10%\r", "20%\r"}},
		"a line that has no end":   {[]string{strings.Repeat("x", maxLine), "y", "z"}, []string{strings.Repeat("x", maxLine) + "y", "z"}},
		"nothing leaves no write":  {nil, nil},
		"bytes that are no UTF-8":  {[]string{"\xff\xfe\n\xff"}, []string{"\xff\xfe\n", "\xff"}},
		"empty lines are lines":    {[]string{"\n\n"}, []string{"\n\n"}},
		"a piece after long lines": {[]string{strings.Repeat("x", maxLine) + "\n", "y"}, []string{strings.Repeat("x", maxLine) + "\n", "y"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got chunks
			stream := lines{to: &got}
			for _, piece := range test.write {
				if _, err := stream.Write([]byte(piece)); err != nil {
					t.Fatal(err)
				}
			}
			if err := stream.finish(); err != nil {
				t.Fatal(err)
			}
			if strings.Join(got, "|") != strings.Join(test.want, "|") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAReaderThatStoppedReadingDoesNotHoldUsBack(t *testing.T) {
	read, write := io.Pipe() // nobody reads
	o := newOutlet(write)
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { first <- o.write(ctx, []byte("lost")) }()
	second := make(chan error, 1)
	go func() { second <- o.write(ctx, []byte("lost, too")) }()
	cancel()
	for _, err := range []error{<-first, <-second} {
		if !errors.Is(err, errNotRead) {
			t.Errorf("got %v", err)
		}
	}
	_ = read.Close()
}

func TestAFailedWriteIsToldAsTheEndOfOurOutput(t *testing.T) {
	read, write := io.Pipe()
	_ = read.CloseWithError(syscall.EPIPE)
	err := newOutlet(write).write(t.Context(), []byte("x"))
	if !errors.As(err, new(*brokenOutput)) || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("got %v", err)
	}
}
