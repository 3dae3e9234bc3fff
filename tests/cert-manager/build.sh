#!/usr/bin/env bash
# Builds the controllers of cert-manager into a folder (default target/cert-manager), as `cert-manager`, with its CRDs beside: two minutes
# cold on two cores.
set -euo pipefail
source "$(dirname "$0")/../go-build.sh"
go build -ldflags "-s -w" -o "$out/cert-manager" .
install -m 0644 "$(go list -m -f '{{.Dir}}' github.com/cert-manager/cert-manager)"/deploy/crds/*cert-manager.io_*.yaml "$out"
