#!/usr/bin/env bash
# Builds the kube-apiserver of another version, beside the etcd and kubectl that are pinned here: five minutes cold on two cores.
#   tests/control-plane/other.sh v1.31.14        into target/control-plane-v1.31.14
# trials.sh runs the trials on it.
set -euo pipefail
version=$1
pinned=$(cd "$(dirname "$0")/../.." && pwd)/target/control-plane
source "$(dirname "$0")/../go-build.sh" "$pinned-$version"
"$here/build.sh"
mkdir -p "$out/module"
cd "$out/module"
export GOFLAGS=-mod=mod
requirements=$(go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
{
    printf 'module portcullis.dev/control-plane-%s\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes %s\n\n' "$version" "$version"
    printf 'tool k8s.io/kubernetes/cmd/kube-apiserver\n\n'
    # The staging modules are folders there. They are published one minor version behind.
    sed -n "s|^\s*\(replace \)\?\(k8s.io/[a-z-]*\) => ./staging/.*|replace \2 => \2 v0.${version#v1.}|p" "$requirements"
} >go.mod
go mod tidy
go build -ldflags "$(kubernetes_flags)" -o "$out/kube-apiserver" k8s.io/kubernetes/cmd/kube-apiserver
cp "$pinned"/{etcd,kubectl} "$out"
echo "$version" >"$out/version"
