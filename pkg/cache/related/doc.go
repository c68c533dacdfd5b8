// Package related keeps what an answer depends on besides the objects that it is
// about: the owners above them (the index root), and the objects that use them
// (--used-by, --unused-by). Their informers keep metadata and the values of indexes,
// and are started when an answer needs them.
//
// The package decides what to start, and looks things up; how a type is found, and an
// informer run, is the command's business: see Cluster.
package related
