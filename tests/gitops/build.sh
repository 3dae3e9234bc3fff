#!/usr/bin/env bash
# Builds the comparison of Argo CD into a folder (default target/gitops), as `gitops`: two minutes cold on two cores.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../target/gitops}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"
CGO_ENABLED=0 GOWORK=off GOFLAGS="${GOFLAGS:-} -mod=readonly" go build -ldflags "-s -w" -o "$out/gitops" .
