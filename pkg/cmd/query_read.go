package cmd

import (
	"bufio"
	"context"
	"errors"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-informer/kubectl-informer/pkg/display"
)

const (
	// maxLine is how many bytes a question may have: many times what one needs,
	// and little enough to hold whatever comes on stdin.
	maxLine = 1 << 20
	// maxQuoted and maxMessage are how many characters of a word of a bad line,
	// and of all that is said of it, are in its answer.
	maxQuoted  = 100
	maxMessage = 4000
)

// questionLine is a line of stdin, without its end, or why there is none.
type questionLine struct {
	// number counts the lines of stdin, from 1.
	number int
	text   string
	err    error
}

// lines reads stdin in a goroutine of its own: a read cannot be interrupted. It
// ends with stdin, or when something comes after ctx has ended.
func (o *queryOptions) lines(ctx context.Context) <-chan questionLine {
	lines := make(chan questionLine)
	go func() {
		defer close(lines)
		in := bufio.NewReaderSize(o.streams.In, 64<<10)
		for number := 1; ; number++ {
			line, err := readLine(in)
			line.number = number
			if line.text != "" || line.err != nil {
				line.text = strings.TrimRight(line.text, "\r\n")
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if line.err != nil {
				err = skipLine(ctx, in)
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads a line with its end; err is that of the reader. Of a line that
// is longer than maxLine it reads no more than that: the rest is to be skipped.
func readLine(in *bufio.Reader) (line questionLine, err error) {
	var text []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(text)+len(part) > maxLine {
			if err == nil {
				// The end of the line has been read with it.
				err = in.UnreadByte()
			}
			return questionLine{err: errLongLine}, ignoreFull(err)
		}
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return questionLine{text: string(text)}, err
		}
	}
}

// skipLine reads to the end of a line, or until something comes after ctx has ended.
func skipLine(ctx context.Context, in *bufio.Reader) error {
	for {
		_, err := in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func ignoreFull(err error) error {
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil
	}
	return err
}

// messageWord is what messages quote, or what stands between spaces.
var messageWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`)

// shortenStatus leaves out of a Status what is too long in it. Of a short line nothing is.
func shortenStatus(status *metav1.Status) {
	status.Message = shortened(status.Message)
	if status.Details != nil {
		details := *status.Details
		details.Name = display.Shorten(details.Name, maxQuoted)
		status.Details = &details
	}
}

// shortened is a message without what is too long in it: whoever wrote a bad line
// knows it. Excerpts of an expression, with the place of the fault, stay whole.
func shortened(message string) string {
	lines := strings.SplitAfter(message, "\n")
	for n, line := range lines {
		if !strings.HasPrefix(line, " | ") {
			lines[n] = messageWord.ReplaceAllStringFunc(line, func(word string) string { return display.Shorten(word, maxQuoted) })
		}
	}
	return display.Shorten(strings.Join(lines, ""), maxMessage)
}
