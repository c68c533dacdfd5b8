// Package faultproxy stands between a client and a server and makes the faults
// that networks and servers make: TCP at the level of connections, HTTP at the
// level of requests. The two can be put one behind the other.
package faultproxy
