package harness

import (
	"fmt"
	"regexp"
	"strings"
)

// logLine is how klog begins a line.
var logLine = regexp.MustCompile(`(?m)^[IWEF]\d{4} \d\d:\d\d:\d\d.*$`)

// Noise is an error if stderr has what the plugin must never say unasked:
// client-go's log lines, stack traces, data races.
func (r Result) Noise() error {
	if line := logLine.FindString(r.Stderr); line != "" {
		return fmt.Errorf("a log line on stderr: %s", line)
	}
	for _, word := range []string{"panic", "goroutine ", "DATA RACE"} {
		if strings.Contains(r.Stderr, word) {
			return fmt.Errorf("%q on stderr:\n%s", word, r.Stderr)
		}
	}
	return nil
}
