#!/usr/bin/env bash
# Builds the programs of a node and kubeadm into a folder (default target/node): five minutes cold on two cores after
# tests/control-plane/build.sh, whose module pins those of Kubernetes, so that no package is compiled twice; seconds warm.
set -euo pipefail
source "$(dirname "$0")/../go-build.sh"
kubernetes=../control-plane
$kubernetes/build.sh
(
    cd $kubernetes
    go build -ldflags "$(kubernetes_flags)" -o "$out/" \
        k8s.io/kubernetes/cmd/{kubeadm,kubelet,kube-proxy,kube-controller-manager,kube-scheduler}
)
go build -ldflags '-s -w' -o "$out/pause" ./pause
containerd=github.com/containerd/containerd/v2/cmd
go build -tags 'no_btrfs no_zfs no_devmapper' -ldflags '-s -w' -o "$out/" $containerd/{containerd,containerd-shim-runc-v2,ctr}
# runc sets the namespaces of a container up in C, and its seccomp filter with libseccomp.
CGO_ENABLED=1 go build -tags seccomp -ldflags '-s -w' -o "$out/runc" github.com/opencontainers/runc
# Written last: a folder without it is half built.
cat $kubernetes/go.mod go.mod >"$out/version"
