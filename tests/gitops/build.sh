#!/usr/bin/env bash
# Builds the comparison of Argo CD into a folder (default target/gitops), as `gitops`: two minutes cold on two cores.
set -euo pipefail
source "$(dirname "$0")/../go-build.sh"
go build -ldflags "-s -w" -o "$out/gitops" .
