package question

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/dump"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/resolve"
	"github.com/kubectl-informer/kubectl-informer/pkg/cmd/completion"
)

// SavedRecord is the record that --replay names.
type SavedRecord struct {
	path     string
	Playback *playback
	// plays says that its events are played, and not only what there was at a time.
	plays bool

	Record *dump.Record
	// Now is the moment that the replay has come to.
	Now time.Time
}

// playback is how a record is asked.
type playback struct {
	// at is the time as of which there is an answer, as it is written.
	at string
	// Speed is how much faster than recorded events come; 0 is as fast as possible.
	Speed float64
}

// replayFlag is the value of --replay.
type replayFlag struct {
	connection *Connection
	cmd        *cobra.Command
}

// addReplayFlag adds --replay.
func (f *ResourceFlags) addReplayFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().Var(replayFlag{f.Connection, cmd}, "replay", usage)
	completion.Flag(cmd, "replay", completion.File)
}

// AddPlayFlags adds what plays the events of a record; does is what comes of them.
func (f *ResourceFlags) AddPlayFlags(cmd *cobra.Command, does string) {
	f.addReplayFlag(cmd, does+" Without TYPE all types of the record are meant, without -n all namespaces.")
	cmd.Flags().Float64Var(&f.Connection.playback.Speed, "speed", 0, "With --replay, how fast events follow each other: 1 is as they were recorded, 10 ten times as fast, 0 as fast as possible.")
}

// AddMomentFlags adds what asks a record what there was at a moment.
func (f *ResourceFlags) AddMomentFlags(cmd *cobra.Command) {
	f.addReplayFlag(cmd, "Answer from a record that tail --record, or tail -o json, has made instead of a cluster: a file, or - for stdin. Without --at that is as of its end, without TYPE all its types are meant, without -n all namespaces.")
	cmd.Flags().StringVar(&f.Connection.playback.at, "at", "", "With --replay: list what there was at this time, in RFC 3339. Ages count from it unless --now says otherwise.")
}

// saved is the dump that flags name, of which there may be none before.
func (c *Connection) saved(cmd *cobra.Command) *savedDump {
	if c.Dump == nil {
		c.Dump = &savedDump{stdin: cmd.InOrStdin(), connection: c}
	}
	return c.Dump
}

// Set takes a path. The same again, which is what completion makes of every flag,
// changes nothing.
func (f replayFlag) Set(path string) error {
	if path == "" {
		return errors.New("a file or - is needed")
	}
	s := f.connection.saved(f.cmd)
	if s.record != nil && s.record.path != path {
		return errors.New("only one record can be replayed")
	}
	s.record = &SavedRecord{path: path, Playback: &f.connection.playback, plays: slices.Contains([]string{"tail", "wait"}, f.cmd.Name())}
	return nil
}

// String is what help shows as the default: nothing.
func (f replayFlag) String() string {
	if f.connection == nil || f.connection.Replayed() == nil {
		return ""
	}
	return f.connection.Replayed().path
}

// Type is how help calls a value.
func (replayFlag) Type() string { return "file" }

// Replayed is the record that --replay names; nil where it names none.
func (c *Connection) Replayed() *SavedRecord {
	if c.Dump == nil {
		return nil
	}
	return c.Dump.record
}

// validate says which flags cannot be used with a record. watches says that list is to
// go on.
func (r *SavedRecord) validate(cmd *cobra.Command, watches bool) error {
	files, _ := cmd.Flags().GetStringSlice("filename")
	switch {
	case cmd.Flags().Changed("from"):
		return errors.New("--from cannot be used with --replay: a record is asked alone")
	case watches:
		return errors.New(`--watch cannot be used with --replay: "tail --replay" plays the events`)
	case r.path == "-" && slices.Contains(files, "-"):
		return errors.New("--replay - cannot be used with --filename -: stdin can be read only once")
	}
	if speed := r.Playback.Speed; !(speed >= 0) || math.IsInf(speed, 0) {
		return fmt.Errorf("--speed must be a number that is not negative, got %v", speed)
	}
	for _, name := range []string{"resync", "verify-every", "verify", "used-by", "unused-by", "subresource", "max-pending", "record", "state", "until-synced", "leader-elect", "health-file", "live", "metrics-file"} {
		// What uses an object changes with the events, and --at has them at one moment.
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && (r.plays || name != "used-by" && name != "unused-by") {
			return fmt.Errorf("--%s cannot be used with --replay: %s", name, whyNotReplayed(name))
		}
	}
	return nil
}

func whyNotReplayed(flag string) string {
	switch flag {
	case "used-by", "unused-by":
		return `"list --replay FILE --at TIME" answers it for one moment`
	case "max-pending":
		return "no event of a record is merged"
	case "record":
		return "the events are recorded already"
	case "until-synced":
		return "it ends by itself, with the record"
	}
	return "there is no server to ask"
}

// read reads the record, once.
func (r *SavedRecord) read(ctx context.Context, stdin io.Reader) (*dump.Dump, error) {
	var at time.Time
	if text := r.Playback.at; text != "" {
		var err error
		if at, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, fmt.Errorf("--at: %q is not a time in RFC 3339, such as 2006-01-02T15:04:05Z", text)
		}
	}
	record, err := dump.ReadRecord(ctx, r.path, stdin)
	if err != nil {
		return nil, err
	}
	r.Record = record
	if r.plays {
		return record.Whole()
	}
	return record.At(at)
}

// complete asks for all types of the record where none is named.
func (r *SavedRecord) complete(request resolve.Request, d *dump.Dump) resolve.Request {
	if len(request.Args) == 0 && len(request.Files.Filenames) == 0 && request.Files.Kustomize == "" {
		request.Args = r.Record.Arguments(d)
	}
	return request
}

// clock is the moment that the replay has come to.
func (r *SavedRecord) clock() time.Time { return r.Now }
