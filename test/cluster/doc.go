// Package cluster starts a small real Kubernetes control plane on this machine:
// etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok, which
// plays the kubelet of every node. Nodes become Ready, Deployments roll out,
// pods run, garbage is collected; no container is ever started.
//
// Everything listens on 127.0.0.1 only, with certificates and tokens of its
// own, in a temporary folder of its own, so that any number of clusters can run
// side by side. Several users with different rights come with each.
//
// The programs are built by `make controlplane`. With INFORMER_TEST_KUBERNETES=previous
// in the environment the Kubernetes programs are those of an older release, which
// `make controlplane-previous` builds, but for clusters whose Options choose one.
package cluster
