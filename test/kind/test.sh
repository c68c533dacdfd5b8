#!/bin/sh
# Runs the stories on a kind cluster that is started for them and ended after.
#
#   test.sh [MINOR]   with a Kubernetes of the file images, the newest without MINOR
#
# KIND, ARCHIVE, MANIFEST and PLUGIN are as in cluster.sh and run.sh.
set -eu
cd "$(dirname "$0")/../.."
sh test/kind/cluster.sh up "$@"
trap 'sh test/kind/cluster.sh down' EXIT
KUBECONFIG=.cache/kind/kubeconfig sh test/kind/run.sh
