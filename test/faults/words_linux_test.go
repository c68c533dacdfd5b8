package faults

import (
	"regexp"
	"time"
)

// sight is a line that a user has to see on stderr, or may see.
type sight struct {
	line *regexp.Regexp
	// optional says that the line need not be there.
	optional bool
	// after says that it belongs to the end of the fault, not to its beginning.
	after bool
	// within is how long after that it may come; zero is soon.
	within time.Duration
}

// What the plugin says of faults: the only place that knows its words.
var (
	// Of what is lost, those types are named that are, unless all are.
	lostAll           = regexp.MustCompile(`^connection lost(: | for [a-z.,0-9 -]+: ).+; reconnecting$`)
	lostOne           = regexp.MustCompile(`^connection lost for [a-z.0-9-]+: .+; reconnecting$`)
	back              = regexp.MustCompile(`^connection (is back|interrupted(: | for [a-z.,0-9 -]+: )back after)`)
	backAfter         = regexp.MustCompile(`^connection (is back( for [a-z.,0-9 -]+)?|interrupted(: | for [a-z.,0-9 -]+: )back) after ([0-9]+h)?([0-9]+m)?[0-9.]+s$`)
	waiting           = regexp.MustCompile(`^waiting for .+; trying again$`)
	lostOrGone        = regexp.MustCompile(`^(connection lost|the server no longer has) `)
	gone              = regexp.MustCompile(`^the server no longer has the resource type "[a-z.]+"; looking for it again$`)
	returned          = regexp.MustCompile(`^the server has the resource type "[a-z.]+" again`)
	forbidden         = regexp.MustCompile(`^Error from server \(Forbidden\): .+ is forbidden: `)
	forbiddenAnywhere = regexp.MustCompile(`Error from server \(Forbidden\): .+ is forbidden: `)
	hint              = regexp.MustCompile(`^hint: this needs a (Cluster)?Role with the rule `)
	lacks             = regexp.MustCompile(`^Warning: line [0-9]+: the answer lacks [a-z.]+: `)
	denied            = regexp.MustCompile(`^error: You must be logged in to the server`)
	refused           = regexp.MustCompile(`(?s)The connection to the server .+ was refused - did you specify the right host or port\?`)
	merged            = regexp.MustCompile(`^the output is read more slowly than objects change: [0-9]+ waiting events were merged`)
	cannot            = regexp.MustCompile(`^error: .+ cannot be watched`)
)

func must(line *regexp.Regexp) sight { return sight{line: line} }

func may(lines ...*regexp.Regexp) []sight {
	var all []sight
	for _, line := range lines {
		all = append(all, sight{line: line, optional: true})
	}
	return all
}

// later is a line that belongs to the end of a fault.
func later(line *regexp.Regexp) sight {
	return sight{line: line, after: true, within: 30 * time.Second}
}

// during is how long a line may be late, where it cannot come sooner.
func during(line *regexp.Regexp, within time.Duration) sight {
	return sight{line: line, within: within}
}

// An outage is said, and that it is over, with how long it was.
func outage() []sight { return []sight{must(lostAll), later(backAfter)} }

// An outage of one type is said of that type.
func outageOfOne() []sight { return []sight{must(lostOne), later(backAfter)} }

// A fault that may heal at the first retry is said once it is over, if at all.
func blip() []sight { return may(lostAll, back) }
