#!/bin/sh
# Starts and ends the kind cluster that the stories run on.
#
#   cluster.sh up [MINOR]   start it with a Kubernetes of the file images, the newest without MINOR
#   cluster.sh down         end it
#
# Its kubeconfig is .cache/kind/kubeconfig; nobody's own is touched. KIND is the
# kind to use; without it, the release that the images are for is built.
set -eu
cd "$(dirname "$0")/../.."
folder=test/kind
name=informer-stories
kubeconfig=.cache/kind/kubeconfig

fail() {
	echo "error: $*" >&2
	exit 1
}

# The columns of a file of images, without its comments.
images() { sed '/^#/d' "$folder/images"; }

image() {
	images | while read -r minor image; do
		if [ -z "$1" ] || [ "$1" = "$minor" ]; then
			echo "$image"
			break
		fi
	done
}

build_kind() {
	release=$(sed -n 's/^# kind \(v[0-9.]*\)$/\1/p' "$folder/images")
	KIND="$PWD/.cache/kind/$release/kind"
	[ -x "$KIND" ] || GOBIN=$(dirname "$KIND") go install "sigs.k8s.io/kind@$release"
}

docker info >/dev/null 2>&1 ||
	fail "kind needs Docker, which does not run here; KUBECONFIG=FILE make kind-stories takes any cluster"

command=${1:-}
case $command in
up)
	image=$(image "${2:-}")
	[ -n "$image" ] || fail "there is no node image of Kubernetes $2, only of $(images | cut -d' ' -f1 | xargs)"
	[ -n "${KIND:-}" ] || build_kind
	mkdir -p "$(dirname "$kubeconfig")"
	"$KIND" create cluster --name "$name" --config "$folder/kind.yaml" --image "$image" \
		--kubeconfig "$kubeconfig" --wait 3m
	;;
down)
	[ -n "${KIND:-}" ] || build_kind
	"$KIND" delete cluster --name "$name" --kubeconfig "$kubeconfig"
	;;
*) fail "usage: $0 up [MINOR] | down" ;;
esac
