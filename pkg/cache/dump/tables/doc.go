// Package tables makes, of objects of Kubernetes' own types, the columns and cells
// that an API server makes of them for kubectl get.
//
// The server's own code for that is in k8s.io/kubernetes, over its internal types:
// no module publishes it. What is here is written anew over the types of k8s.io/api,
// a function a type, and what the server fills in when it reads a manifest (one
// replica, ClusterIP) is taken for what is missing. The functions are pure; a test of
// test/e2e/dump compares each with a server of the present version.
package tables
