#!/usr/bin/env bash
# Builds kind, kubeadm and CoreDNS into a folder (default target/kind): three minutes cold on two cores after tests/node/build.sh, seconds
# warm.
set -euo pipefail
source "$(dirname "$0")/../go-build.sh"
go build -ldflags "$(kubernetes_flags)" -o "$out/kubeadm" k8s.io/kubernetes/cmd/kubeadm
go build -ldflags '-s -w' -o "$out/" ./coredns sigs.k8s.io/kind
# Written last: a folder without it is half built.
cp go.mod "$out/version"
