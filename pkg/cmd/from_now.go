package cmd

import (
	"errors"
	"time"
)

// asOf is the value of --now: a time, or the word now.
type asOf struct {
	time.Time
	present bool
}

// Set reads a time. The last that is given counts.
func (a *asOf) Set(text string) error {
	if text == "now" {
		*a = asOf{present: true}
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return errors.New("a time in RFC 3339, such as 2006-01-02T15:04:05Z, or the word now is needed")
	}
	*a = asOf{Time: t}
	return nil
}

// String is what help shows as the default: nothing.
func (a *asOf) String() string {
	switch {
	case a.present:
		return "now"
	case a.IsZero():
		return ""
	}
	return a.Format(time.RFC3339)
}

// Type is how help calls a value.
func (*asOf) Type() string { return "time" }

// now is the time as of which questions are answered: the present, and of a dump the
// newest time in it where --now names none. That is known once the dump has been read.
func (c *connection) now() time.Time {
	switch {
	case c.dump == nil || c.asOf.present:
	case !c.asOf.IsZero():
		return c.asOf.Time
	case c.dump.dump != nil && !c.dump.dump.NewestTime().IsZero():
		return c.dump.dump.NewestTime()
	}
	return time.Now()
}
