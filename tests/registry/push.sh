#!/usr/bin/env bash
# Pushes the chart as a release has it, and images from archives that image/build.sh has written, to the registry of a cluster.
# `cluster.sh run` runs it, where that registry can be reached.
#   push.sh portcullis-TAG-ARCHITECTURE.tar...
set -euo pipefail
cd "$(dirname "$0")/../.."
registry=${PORTCULLIS_REGISTRY:?cluster.sh run sets it}
for archive in "$@"; do
    tag=${archive##*/portcullis-}
    target/registry/crane push "$archive" "$registry/portcullis:${tag%-*}"
done
files=$(mktemp --directory)
trap 'rm -rf "$files"' EXIT
GITHUB_REPOSITORY=${GITHUB_REPOSITORY:-example/portcullis} release/build.sh --directory "$files" chart
target/helm/helm4 push "$files"/release/portcullis-chart-*.tgz "oci://$registry/charts" --plain-http
