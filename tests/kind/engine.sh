#!/usr/bin/env bash
# A Docker engine for the kind cluster, on a machine where none runs. Needs root, and dockerd of the package docker.io. It runs in a network
# namespace without a way out, so it cannot disturb the network of the machine, and pulls nothing. Its images are kept in target/kind/engine.
#   engine.sh up | down              start it; stop it
#   engine.sh host                   the value of DOCKER_HOST for it, while it runs; nothing otherwise
#   engine.sh run COMMAND...         run a command in its network namespace, where it publishes the ports of containers
set -euo pipefail
source "$(dirname "$0")/../network.sh"
target=$(cd "$(dirname "$0")/../.." && pwd)/target
namespace=portcullis-kind
address=10.11.0.1
# Not in target/, since the path of a socket is limited to 107 bytes.
state=/run/$namespace
socket=$state/docker.sock

case ${1:-} in
up)
    "$0" down
    mkdir -p "$state" "$target/kind/engine"
    make_network "$namespace" "$address"
    options=(--host "unix://$socket" --data-root "$target/kind/engine" --exec-root "$state/exec" --pidfile "$state/pid"
        --storage-driver overlay2 --cgroup-parent "/$namespace" --ip6tables=false
        # Nothing listens there, so that the look-up of an outside name fails at once.
        --dns "$address")
    # Old engines demand every capability for a privileged container, also one that nothing on this machine can have.
    if ! (((16#$(sed -n 's/^CapBnd:\s*//p' /proc/self/status) >> 24) & 1)); then
        cat >"$state/runc" <<'RUNC'
#!/usr/bin/env bash
# runc without CAP_SYS_RESOURCE.
arguments=("$@")
while (($# > 1)); do
    case $1 in
    --bundle) sed --in-place 's/"CAP_SYS_RESOURCE",\?//g' "$2/config.json" ;;
    --process) sed --in-place 's/"CAP_SYS_RESOURCE",\?//g' "$2" ;;
    esac
    shift
done
exec runc "${arguments[@]}"
RUNC
        chmod 755 "$state/runc"
        options+=(--oom-score-adjust 0 --add-runtime "limited=$state/runc" --default-runtime limited)
    fi
    setsid nsenter --net="/var/run/netns/$namespace" dockerd "${options[@]}" >"$state/log" 2>&1 </dev/null &
    for ((tries = 0; tries < 150; tries++)); do
        if docker --host "unix://$socket" info >/dev/null 2>&1; then exit; fi
        sleep 0.2
    done
    echo "the Docker engine does not start" >&2
    tail --lines 5 "$state/log" >&2
    exit 1
    ;;
down)
    if [[ -f $state/pid ]]; then
        process=$(<"$state/pid")
        kill "$process" 2>/dev/null || true
        while kill -0 "$process" 2>/dev/null; do sleep 0.1; done
    fi
    if [[ -e /var/run/netns/$namespace ]]; then
        ip netns pids "$namespace" | xargs --no-run-if-empty kill -KILL
        ip netns delete "$namespace"
    fi
    find /sys/fs/cgroup -depth -type d -path "/sys/fs/cgroup/*$namespace*" -exec rmdir {} + 2>/dev/null || true
    # An engine that was killed leaves the network namespaces and the layers of its containers mounted.
    findmnt --raw --noheadings --output TARGET | { grep -F -e "$state/" -e "$target/kind/engine" || true; } |
        xargs --no-run-if-empty umount --lazy
    rm -rf "$state"
    ;;
host) if [[ -S $socket ]]; then echo "unix://$socket"; fi ;;
run) shift && exec nsenter --net="/var/run/netns/$namespace" "$@" ;;
*) sed -n '2,6s/^# //p' "$0" >&2 && exit 2 ;;
esac
