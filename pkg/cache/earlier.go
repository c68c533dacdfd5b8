package cache

// Stored is an object as far as it has to be read to see whether it has changed since
// an earlier run reported it.
type Stored struct {
	Identity
	ResourceVersion string
	// Unconfirmed says that nobody knows whether what was about to be reported of the
	// object was: it is reported once more.
	Unconfirmed bool
}

// Earlier is what an earlier run has reported of one Target.
type Earlier struct {
	// Complete says that an earlier run has reported all of a list: what is new since
	// then has been created, or has entered the selection, since.
	Complete bool
	Objects  []Stored
	// Load returns the whole object as it was reported. It is called before anything
	// newer is stored of the object, from several goroutines.
	Load func(Identity) *Row
}
