// Package faults holds the fault suite: every way in which a server, a network, a
// right, a reader or a disk can fail is a scenario, and after each the same
// invariants are checked on what the built plugin has said. Its tests run on
// Linux, whose process table and mounts they need.
//
//	I1  the cache equals the server: key, uid and resourceVersion
//	I2  the resourceVersions of one object only rise
//	I3  every object that was reported and is deleted has one DELETED, no other has
//	I4  the stream can be replayed: each event can follow on those before it
//	I5  SIGINT ends the command within two seconds, and nothing is left running
//	I6  at most two requests a second for each informer while the fault lasts
//	I7  stderr names the fault within five seconds, where it can be noticed, says
//	    when it is over, and no more; stdout stays parseable
package faults
