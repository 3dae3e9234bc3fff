#!/usr/bin/env bash
# Builds Helm 3 and Helm 4 into a folder (default target/helm), as `helm3` and `helm4`: three minutes cold on two cores, seconds warm.
set -euo pipefail
source "$(dirname "$0")/../go-build.sh"
go build -ldflags "-s -w" -o "$out/helm3" helm.sh/helm/v3/cmd/helm
go build -ldflags "-s -w" -o "$out/helm4" helm.sh/helm/v4/cmd/helm
# Written last: a folder without it is half built.
cp go.mod "$out/version"
