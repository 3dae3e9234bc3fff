#!/usr/bin/env bash
# A kind cluster of two nodes, and a registry beside it. Where no Docker engine answers, engine.sh starts one, which needs root. The image of
# the nodes is that of KIND_NODE_IMAGE; without it, kind's own, if it can be pulled, or else one that image.sh builds.
#   cluster.sh check                 say in one line what is missing here
#   cluster.sh up | down             create it; delete it
#   cluster.sh run COMMAND...        run a command where API server and registry can be reached, with KUBECONFIG and PORTCULLIS_REGISTRY
#   cluster.sh node COMMAND...       run a command as root on the node of the API server
#   cluster.sh on NODE COMMAND...    run a command as root on this node
#   cluster.sh kill-node|start-node NODE    end a node without a warning; start it again
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$here/../.." && pwd)/target
name=portcullis-e2e
control_plane=$name-control-plane
worker=$name-worker
source "$here/../prerequisites.sh"
source "$here/../registry/address.sh"
registry=$name-registry
export KUBECONFIG=$target/kind/kubeconfig
own_engine=$("$here/engine.sh" host)
if [[ $own_engine ]]; then export DOCKER_HOST=$own_engine; fi
PATH=$target/kind:$PATH

main() {
    local verb=${1:-}
    shift || true
    case $verb in
    check) check_prerequisites ;;
    up) up ;;
    down) down ;;
    run) run "$@" ;;
    node) docker exec "$control_plane" "$@" ;;
    on) docker exec "$@" ;;
    kill-node) kill_node "$1" ;;
    start-node) start_node "$1" ;;
    *) sed -n '2,10s/^# //p' "$0" >&2 && exit 2 ;;
    esac
}

up() {
    check_prerequisites
    cmp --silent "$here/go.mod" "$target/kind/version" || "$here/build.sh"
    cmp --silent "$here/../registry/go.mod" "$target/registry/version" || "$here/../registry/build.sh"
    if ! docker info >/dev/null 2>&1; then
        "$here/engine.sh" up
        own_engine=$("$here/engine.sh" host)
        export DOCKER_HOST=$own_engine
    fi
    local image
    image=$(node_image)
    kind delete cluster --quiet --name "$name"
    configuration "$image" | kind create cluster --quiet --name "$name" --image "$image" --config -
    connect_nodes
    start_registry "$image"
    kubectl wait --for condition=Ready nodes --all --timeout 2m >/dev/null
}

down() {
    # Without kind there is no cluster.
    if command -v kind >/dev/null; then kind delete cluster --quiet --name "$name"; fi
    remove_registry
    if [[ $own_engine ]]; then "$here/engine.sh" down; fi
}

run() {
    export PORTCULLIS_WORKER=$worker
    if [[ $own_engine ]]; then exec "$here/engine.sh" run "$@"; else exec "$@"; fi
}

# Without the network first, the kernel would close the connections of the processes, as that of a machine without power does not.
kill_node() {
    docker exec "$1" ip link set eth0 down
    docker kill "$1" >/dev/null
}

start_node() {
    docker start "$1" >/dev/null
    connect_nodes
}

# Says in one line what is missing.
check_prerequisites() {
    need docker go
    if ! docker info >/dev/null 2>&1; then
        [[ $(id -u) == 0 ]] || missing+=("a Docker engine, or root to start one")
        need dockerd ip iptables nsenter
        unshare --net true 2>/dev/null || missing+=("the right to create a network namespace")
        grep -qw overlay /proc/filesystems || missing+=("overlayfs")
        mount | grep -q ' type cgroup2\? ' || missing+=("cgroups")
        if [[ ! ${KIND_NODE_IMAGE:-} ]]; then
            need debootstrap
            need_for_programs_of_a_node
        fi
    fi
    end_if_missing "a kind cluster cannot run here"
}

# The name of the image of the nodes, which the engine has then. An engine of ours can pull nothing.
node_image() {
    local default
    default=$(sed -n 's/^const Image = "\(.*\)"/\1/p' "$(cd "$here" && GOWORK=off go list -m -f '{{.Dir}}' sigs.k8s.io/kind)/pkg/apis/config/defaults/image.go")
    if [[ ${KIND_NODE_IMAGE:-} ]]; then
        echo "$KIND_NODE_IMAGE"
    elif [[ ! $own_engine ]] && docker pull --quiet "$default" >/dev/null 2>&1; then
        echo "$default"
    else
        "$here/image.sh"
    fi
}

# The configuration of the cluster. An image of ours has no network plugin.
configuration() { # IMAGE
    cat "$here/cluster.yaml"
    if is_ours "$1"; then echo 'networking: {disableDefaultCNI: true}'; fi
}

is_ours() { [[ $1 == portcullis-node:* ]]; }

# A container on the network of the nodes. Its image could be any, since the program needs nothing else.
start_registry() { # IMAGE
    remove_registry
    docker create --name "$registry" --network kind --publish "127.0.0.1:${PORTCULLIS_REGISTRY#*:}:5000" --entrypoint /crane "$1" \
        registry serve --address :5000 >/dev/null
    tar --create --directory "$target/registry" crane | docker cp - "$registry:/"
    docker start "$registry" >/dev/null
    local node folder=/etc/containerd/certs.d/$PORTCULLIS_REGISTRY
    for node in "$control_plane" "$worker"; do
        docker exec "$node" mkdir -p "$folder"
        docker exec --interactive "$node" tee "$folder/hosts.toml" >/dev/null <<<"[host.\"http://$registry:5000\"]"
    done
}

remove_registry() { docker rm --force --volumes "$registry" >/dev/null 2>&1 || true; }

kubectl() { docker exec "$control_plane" kubectl --kubeconfig /etc/kubernetes/admin.conf "$@"; }

# In place of a network plugin: the configuration of the pods' network on each node, and routes to the pods of the other one, which a node
# forgets when it ends.
connect_nodes() {
    local node other
    is_ours "$(docker inspect --format '{{.Config.Image}}' "$control_plane")" || return 0
    for node in "$control_plane" "$worker"; do
        docker exec --interactive "$node" tee /etc/cni/net.d/10-pods.conflist >/dev/null <<CONFIG
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "ptp", "ipMasq": false, "ipam": {"type": "host-local", "dataDir": "/run/pod-addresses",
    "ranges": [[{"subnet": "$(pod_addresses "$node")"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CONFIG
        for other in "$control_plane" "$worker"; do
            [[ $other == "$node" ]] || docker exec "$node" ip route replace "$(pod_addresses "$other")" via "$(address "$other")"
        done
    done
}

pod_addresses() { kubectl get node "$1" --output 'jsonpath={.spec.podCIDR}'; }

address() { docker inspect --format '{{.NetworkSettings.Networks.kind.IPAddress}}' "$1"; }

main "$@"
