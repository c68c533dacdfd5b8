// Package leader has one of several replicas do the work: client-go's leader election
// on a Lease. It knows nothing of the work, nor of how the cluster is reached.
package leader
