#!/usr/bin/env bash
# A kind cluster for the end-to-end steps. Needs kind and a running Docker, or another provider of kind that
# KIND_EXPERIMENTAL_PROVIDER names (podman, nerdctl).
#   cluster.sh check                 say in one line what is missing here (exit code 3)
#   cluster.sh up | down             create it; delete it
#   cluster.sh load IMAGE.tar...     make images known to the node
#   cluster.sh run COMMAND...        run a command where the API server can be reached, with KUBECONFIG
#   cluster.sh node COMMAND...       run a command as root on the node
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=portcullis-e2e
provider=${KIND_EXPERIMENTAL_PROVIDER:-docker}
source "$here/../prerequisites.sh"
export KUBECONFIG=$here/../../target/kind/kubeconfig

case ${1:-} in
check)
    need kind "$provider"
    if ! "$provider" info >/dev/null 2>&1; then missing+=("a $provider that can start containers"); fi
    end_if_missing "a kind cluster cannot run here"
    ;;
up)
    mkdir -p "$(dirname "$KUBECONFIG")"
    kind create cluster --name "$name" --wait 2m
    ;;
down) kind delete cluster --name "$name" ;;
load) shift && for archive in "$@"; do kind load image-archive --name "$name" "$archive"; done ;;
run) shift && exec "$@" ;;
node) shift && exec "$provider" exec "$name-control-plane" "$@" ;;
*) sed -n '2,8s/^# //p' "$0" >&2 && exit 2 ;;
esac
