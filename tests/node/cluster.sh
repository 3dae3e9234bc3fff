#!/usr/bin/env bash
# A Kubernetes cluster of one node, with real pods, from the programs that build.sh builds, and a registry beside it. Needs root. Everything
# runs in one network namespace of its own, so nothing reaches any network, and everything is kept in target/node/run.
#   cluster.sh check                 say in one line what is missing here
#   cluster.sh up | down             start it; stop it and delete all of it
#   cluster.sh run COMMAND...        run a command where API server and registry can be reached, with KUBECONFIG and PORTCULLIS_REGISTRY
#   cluster.sh node COMMAND...       run a command as root on the node; `on NODE COMMAND...` does the same
#   cluster.sh start|stop|kill PROGRAM    one program of the node, such as apiserver or etcd; `stop PROGRAM SIGNAL`
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$here/../.." && pwd)/target
source "$here/../prerequisites.sh"
source "$here/../network.sh"
source "$here/../registry/address.sh"
programs=$target/node
control_plane=$target/control-plane
state=$programs/run
namespace=portcullis-node
address=10.10.0.1
inside=(nsenter --net="/var/run/netns/$namespace")
export KUBECONFIG=$state/kubeconfig

main() {
    local verb=${1:-}
    shift || true
    case $verb in
    check) check_prerequisites ;;
    up) up ;;
    down) down ;;
    run | node) exec "${inside[@]}" "$@" ;;
    on) exec "${inside[@]}" "${@:2}" ;;
    start) start "$1" ;;
    stop) stop "$@" ;;
    kill) kill_and_wait "$1" ;;
    *) sed -n '2,9s/^# //p' "$0" >&2 && exit 2 ;;
    esac
}

up() {
    check_prerequisites
    cat "$here"/{../control-plane,.}/go.mod | cmp --silent - "$programs/version" || "$here/build.sh"
    cmp --silent "$here/../registry/go.mod" "$target/registry/version" || "$here/../registry/build.sh"
    if ip netns list | grep -qw "$namespace"; then down; fi
    mkdir -p "$state"/{certificates,cni,etcd,log,manifests}
    make_network "$namespace" "$address"
    write_configuration
    start etcd
    start apiserver
    wait_for "the API server" "${inside[@]}" "$control_plane/kubectl" get --raw /readyz
    start controller-manager
    start scheduler
    start containerd
    wait_for containerd ctr version
    load_pause_image
    start registry
    start kubelet
    start proxy
    wait_for "the node" is_ready
}

down() {
    local program shim mount
    for program in kubelet proxy scheduler controller-manager; do stop "$program"; done
    sleep 1
    # The pods: known by the socket of this containerd.
    for shim in $(pgrep -f -- "-address $state/containerd.sock"); do kill -KILL "$shim" || true; done
    for program in registry containerd apiserver etcd; do stop "$program"; done
    sleep 1
    ip netns pids "$namespace" 2>/dev/null | xargs --no-run-if-empty kill -KILL 2>/dev/null || true
    awk -v state="$state/" 'index($2, state) == 1 {print $2}' /proc/mounts | sort --reverse | xargs --no-run-if-empty --max-args=1 umount --lazy
    ip netns delete "$namespace" || true
    rm -rf "$state"
}

# Says in one line what is missing.
check_prerequisites() {
    [[ $(id -u) == 0 ]] || missing+=("root")
    need_for_programs_of_a_node
    need ip iptables conntrack nsenter buildah openssl
    [[ -x /usr/lib/cni/bridge ]] || missing+=("/usr/lib/cni (containernetworking-plugins)")
    unshare --net true 2>/dev/null || missing+=("the right to create a network namespace")
    grep -qw overlay /proc/filesystems || missing+=("overlayfs")
    mount | grep -q ' type cgroup2\? ' || missing+=("cgroups")
    end_if_missing "a node cannot run here"
}

# Starts a program of the node in the background, with its log and its process id in files.
start() {
    case $1 in
    etcd) background etcd "$control_plane/etcd" --data-dir "$state/etcd" --unsafe-no-fsync --listen-peer-urls http://127.0.0.1:0 \
        --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 ;;
    apiserver) background apiserver "$control_plane/kube-apiserver" --etcd-servers http://127.0.0.1:2379 \
        --bind-address "$address" --advertise-address "$address" --secure-port 6443 --cert-dir "$state/certificates" \
        --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$state/service-accounts.key" \
        --service-account-signing-key-file "$state/service-accounts.key" --service-cluster-ip-range 10.96.0.0/16 \
        --token-auth-file "$state/tokens.csv" --authorization-mode Node,RBAC --allow-privileged \
        --kubelet-preferred-address-types InternalIP ;;
    controller-manager) background controller-manager "$programs/kube-controller-manager" --kubeconfig "$KUBECONFIG" \
        --service-account-private-key-file "$state/service-accounts.key" --root-ca-file "$state/certificates/apiserver.crt" \
        --allocate-node-cidrs=false --leader-elect=false --bind-address 127.0.0.1 ;;
    scheduler) background scheduler "$programs/kube-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false --bind-address 127.0.0.1 ;;
    containerd) PATH=$programs:$PATH background containerd "$programs/containerd" --config "$state/containerd.toml" ;;
    registry) background registry "$target/registry/crane" registry serve --address "$PORTCULLIS_REGISTRY" ;;
    kubelet) background kubelet "$programs/kubelet" --config "$state/kubelet.yaml" --kubeconfig "$state/kubelet.kubeconfig" \
        --root-dir "$state/kubelet" --cert-dir "$state/kubelet/pki" --hostname-override node --node-ip "$address" ;;
    proxy) background proxy "$programs/kube-proxy" --kubeconfig "$KUBECONFIG" --hostname-override node --proxy-mode iptables \
        --cluster-cidr 10.244.0.0/16 --bind-address "$address" --conntrack-max-per-core 0 \
        --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0 ;;
    esac
}

background() {
    local name=$1
    shift
    setsid "${inside[@]}" "$@" >>"$state/log/$name" 2>&1 </dev/null &
    echo $! >"$state/$name.pid"
}

stop() {
    local signal=${2:-TERM}
    if [[ -f $state/$1.pid ]]; then kill "-$signal" "$(<"$state/$1.pid")" 2>/dev/null || true; fi
}

# Its ports are free only when it has ended.
kill_and_wait() {
    local process tries
    process=$(<"$state/$1.pid")
    for ((tries = 0; tries < 100; tries++)); do
        kill -KILL "$process" 2>/dev/null || return 0
        sleep 0.05
    done
}

ctr() { "$programs/ctr" --address "$state/containerd.sock" --namespace k8s.io "$@"; }

is_ready() { "${inside[@]}" "$control_plane/kubectl" get node node | grep -qw Ready; }

wait_for() {
    local what=$1 tries
    shift
    for ((tries = 0; tries < 300; tries++)); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.2
    done
    echo "the node does not start: $what is not ready after a minute" >&2
    tail --lines 5 "$state"/log/* >&2
    exit 1
}

# The image of the sandboxes, which a node would pull.
load_pause_image() {
    local context=$state/pause archive=$state/pause.tar
    mkdir "$context"
    cp "$programs/pause" "$context"
    printf 'FROM scratch\nCOPY pause /pause\nENTRYPOINT ["/pause"]\n' >"$context/Dockerfile"
    local options=(--root "$state/buildah" --runroot "$state/buildah-run" --storage-driver vfs)
    buildah "${options[@]}" bud --quiet --isolation chroot --tag registry.k8s.io/pause:local "$context" >/dev/null
    buildah "${options[@]}" push --quiet registry.k8s.io/pause:local "docker-archive:$archive:registry.k8s.io/pause:local"
    ctr images import "$archive" >/dev/null
}

write_configuration() {
    openssl genrsa -out "$state/service-accounts.key" 2048 2>/dev/null
    printf 'admin,admin,admin,system:masters\nnode,system:node:node,node,system:nodes\n' >"$state/tokens.csv"
    kubeconfig admin >"$KUBECONFIG"
    kubeconfig node >"$state/kubelet.kubeconfig"
    cat >"$state/containerd.toml" <<CONFIG
version = 3
root = "$state/containerd"
state = "$state/containerd-state"
[grpc]
  address = "$state/containerd.sock"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "registry.k8s.io/pause:local"
[plugins."io.containerd.cri.v1.runtime"]
  # Otherwise no sandbox starts where a process may not lower its own score.
  restrict_oom_score_adj = true
  # So that \`down\` removes them.
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "$state/cni"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      SystemdCgroup = false
CONFIG
    cat >"$state/cni/10-bridge.conflist" <<CONFIG
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "ipam": {"type": "host-local",
    "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}], "dataDir": "$state/ipam"}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CONFIG
    cat >"$state/kubelet.yaml" <<CONFIG
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
containerRuntimeEndpoint: unix://$state/containerd.sock
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
resolvConf: /dev/null
staticPodPath: $state/manifests
enforceNodeAllocatable: []
evictionHard: {memory.available: 1Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
shutdownGracePeriod: 0s
CONFIG
}

kubeconfig() {
    cat <<CONFIG
apiVersion: v1
kind: Config
clusters: [{name: node, cluster: {server: "https://$address:6443", certificate-authority: $state/certificates/apiserver.crt}}]
users: [{name: user, user: {token: $1}}]
contexts: [{name: node, context: {cluster: node, user: user}}]
current-context: node
CONFIG
}

main "$@"
