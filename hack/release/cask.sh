#!/bin/sh
# Pushes the cask that GoReleaser left in dist/ to the tap, as a commit. $GH_TOKEN
# may write there; the release that the cask leads to has been published.
set -eu
cd "$(dirname "$0")/../.."
cask=dist/homebrew/Casks/kubectl-informer.rb
file=repos/kubectl-informer/homebrew-tap/contents/Casks/kubectl-informer.rb

# GitHub wants the sum of the file that is replaced; there is none the first time.
old=$(gh api "$file" --jq .sha 2>/dev/null) || old=
gh api --method PUT "$file" \
	--field message="kubectl-informer $(cat VERSION)" \
	--field content="$(base64 "$cask" | tr -d '\n')" \
	${old:+--field sha="$old"}
