#!/bin/sh
# Shows the plugin at work: on the cluster of $KUBECONFIG, where only what reads
# is shown, or on a local cluster that ends with the demo.
set -eu
cd "$(dirname "$0")/.."

own=
if [ -z "${KUBECONFIG:-}" ]; then
	own=yes
	controlplane=$(go run ./test/cluster/cmd/controlplane)
	go build -o .cache/bin/testcluster ./test/cluster/cmd/testcluster
	KUBECONFIG=$PWD/.cache/demo.kubeconfig
	export KUBECONFIG
	rm -f "$KUBECONFIG"
	.cache/bin/testcluster up --size demo --kubeconfig "$KUBECONFIG" &
	cluster=$!
	trap 'kill $cluster 2>/dev/null; wait $cluster 2>/dev/null || true' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	until [ -s "$KUBECONFIG" ]; do
		kill -0 $cluster 2>/dev/null || exit 1
		sleep 0.2
	done
	PATH=$controlplane:$PATH
fi
PATH=$PWD/bin:$PATH
export PATH

# kubectl finds the plugin on PATH; without kubectl the binary is called itself.
informer="kubectl-informer"
if command -v kubectl >/dev/null; then
	informer="kubectl informer"
fi

bold= cyan= yellow= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	bold=$(printf '\033[1m') cyan=$(printf '\033[36m') yellow=$(printf '\033[33m') plain=$(printf '\033[0m')
fi
say() { printf '\n%s# %s%s\n' "$bold" "$1" "$plain"; }
show() {
	printf '%s$ %s%s\n' "$cyan" "$*" "$plain"
	"$@"
}

say "The pods of all namespaces, as kubectl get prints them, from an informer's cache"
show $informer list pods -A --limit 8

say "How many pods each node has, counted from an index"
show $informer list pods -A --count-by node

node=$($informer list pods -A --count-by node -o name --limit 1)
if [ -n "$node" ]; then
	say "An index query: the pods on one node"
	show $informer list pods -A --by "node=$node" --limit 8
fi

say "An index on any field: pods by image"
show $informer list pods -A --count-by 'spec.containers[*].image' --limit 8

if [ -z "$own" ]; then
	exit 0
fi

say "A stream of two types with a resync every 4 seconds, while Deployments roll out, scale and go"
show $informer tail deployments,pods -n shop -l app.kubernetes.io/name=web --resync 4s --timeout 12s &
tail=$!
sleep 2
change() {
	printf '%s  (in another shell: kubectl -n shop %s)%s\n' "$yellow" "$*" "$plain"
	kubectl -n shop "$@" >/dev/null
}
change set image deployment/web web=nginx:1.28
sleep 4
change scale deployment/web --replicas=1
sleep 3
change delete deployment/web
wait $tail

say "The same events as JSON lines, for scripts"
show $informer tail deployments -n shop --max-events 3 -o json | cut -c 1-120
