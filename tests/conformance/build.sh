#!/usr/bin/env bash
# Builds the conformance suite of the Gateway API, and the program that compares its results, into a folder (default target/conformance): a
# minute cold on two cores, seconds warm.
set -euo pipefail
source "$(dirname "$0")/../go-build.sh"
go test -c -o "$out/suite" .
go build -o "$out/compare" ./compare
