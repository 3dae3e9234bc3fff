#!/usr/bin/env bash
# Builds crane, which serves a registry and pushes images, into a folder (default target/registry): half a minute cold on two cores.
set -euo pipefail
source "$(dirname "$0")/../go-build.sh"
go build -ldflags "-s -w" -o "$out/crane" github.com/google/go-containerregistry/cmd/crane
# Written last: a folder without it is half built.
cp go.mod "$out/version"
