#!/usr/bin/env bash
# Pushes the chart, and images from archives that image/build.sh has written, to the registry of a cluster. `cluster.sh run` runs it, where
# that registry can be reached.
#   push.sh portcullis-TAG-ARCHITECTURE.tar...
set -euo pipefail
cd "$(dirname "$0")/../.."
registry=${PORTCULLIS_REGISTRY:?cluster.sh run sets it}
for archive in "$@"; do
    tag=${archive##*/portcullis-}
    target/registry/crane push "$archive" "$registry/portcullis:${tag%-*}"
done
packages=$(mktemp --directory)
trap 'rm -rf "$packages"' EXIT
target/helm/helm4 package charts/portcullis --destination "$packages"
target/helm/helm4 push "$packages"/portcullis-*.tgz "oci://$registry/charts" --plain-http
