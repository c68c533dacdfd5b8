#!/bin/sh
# Installs the plugin as users do, with krew, and runs the stories with it on the
# cluster of $KUBECONFIG, in namespaces that they make and delete.
#
#   KUBECONFIG   the cluster, as for kubectl
#   ARCHIVE      what krew installs; without it, this platform's archive is built
#   MANIFEST     krew's manifest of it
#   PLUGIN       a folder with an installed kubectl-informer: krew has no part in it
set -eu
if [ -z "${KUBECONFIG:-}" ]; then
	echo "error: set KUBECONFIG to the kubeconfig of the cluster that the stories are to run on" >&2
	exit 1
fi
# A list of paths, each from where we were called.
kubeconfig=
old_ifs=$IFS
IFS=:
for path in $KUBECONFIG; do
	case $path in
	/*) ;;
	*) path=$PWD/$path ;;
	esac
	kubeconfig=${kubeconfig:+$kubeconfig:}$path
done
IFS=$old_ifs
cd "$(dirname "$0")/../.."

install_plugin() {
	KREW_ROOT=$(mktemp -d)
	export KREW_ROOT
	trap 'rm -rf "$KREW_ROOT"' EXIT
	(cd test/krew && go build -o "$KREW_ROOT/" sigs.k8s.io/krew/cmd/krew)
	if [ -z "${ARCHIVE:-}" ]; then
		go run ./hack/release archive
		ARCHIVE=dist/kubectl-informer.tar.gz MANIFEST=dist/informer.yaml
	fi
	# krew refuses an archive whose sum is not the manifest's.
	"$KREW_ROOT/krew" install --manifest "$MANIFEST" --archive "$ARCHIVE"
	PLUGIN=$KREW_ROOT/bin
}

[ -n "${PLUGIN:-}" ] || install_plugin
INFORMER_TEST_KUBECONFIG=$kubeconfig INFORMER_TEST_PLUGIN=$PLUGIN \
	go test -count=1 -timeout 30m -v ./test/kind/stories
