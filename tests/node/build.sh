#!/usr/bin/env bash
# Builds the programs of a node into a folder (default target/node), and the control plane into target/control-plane: ten minutes cold
# on two cores, seconds warm.
set -euo pipefail
source "$(dirname "$0")/../go-build.sh"
"$here/../control-plane/build.sh"
flags=$(kubernetes_flags)
containerd=github.com/containerd/containerd/v2/cmd
go build -ldflags "$flags" -o "$out/" k8s.io/kubernetes/cmd/{kubelet,kube-proxy,kube-controller-manager,kube-scheduler}
go build -ldflags '-s -w' -o "$out/pause" ./pause
cd runtime
go build -tags 'no_btrfs no_zfs no_devmapper' -ldflags '-s -w' -o "$out/" $containerd/{containerd,containerd-shim-runc-v2,ctr}
# runc sets the namespaces of a container up in C, and its seccomp filter with libseccomp.
CGO_ENABLED=1 go build -tags seccomp -ldflags '-s -w' -o "$out/runc" github.com/opencontainers/runc
# Written last: a folder without it is half built.
cat "$here/go.mod" go.mod >"$out/version"
