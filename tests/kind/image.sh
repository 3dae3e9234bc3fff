#!/usr/bin/env bash
# Prints the name of a node image for kind that is built here, without a registry: Debian by debootstrap, the files of kind's own base image,
# and the programs of tests/node, tests/control-plane and build.sh. The Docker engine keeps it, so it is built again only after a change of
# these. Needs root and an engine. It differs from kind's own image in this: one image of all programs for the pods of kubeadm, no image of
# a network plugin (cluster.sh connects the nodes), no storage provisioner, and CoreDNS with fewer plugins.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$here/../.." && pwd)/target
# systemd of later releases does not start with cgroup v1.
suite=bookworm
# kind's own list, and the network plugins; fuse-overlayfs, NFS and iSCSI are left out.
packages=(systemd systemd-sysv bash ca-certificates conntrack containernetworking-plugins curl e2fsprogs ethtool iproute2 iptables jq kmod
    libseccomp2 mount nftables pigz procps util-linux)
programs=("$target"/control-plane/{kube-apiserver,etcd} "$target"/node/{kube-controller-manager,kube-proxy,kube-scheduler,pause}
    "$target/kind/coredns")
work=$target/kind/image
root=$work/root
source "$here/../prerequisites.sh"

main() {
    need debootstrap
    need_for_programs_of_a_node
    end_if_missing "a node image cannot be built here"
    build_programs
    local version key image
    version=$(<"$target/control-plane/version")
    key=$(cat "$here/image.sh" "$target"/{control-plane,node,kind}/version | sha256sum | head --bytes 12)
    image=portcullis-node:$version-$key
    if ! docker image inspect "$image" >/dev/null 2>&1; then
        build "$version" >&2
        docker image ls --quiet portcullis-node | xargs --no-run-if-empty docker image rm --force >/dev/null
        tar --create --directory "$root" . |
            docker import --change 'ENV container=docker' --change 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]' - "$image" >/dev/null
        rm -rf "$work"
    fi
    echo "$image"
}

build_programs() {
    cat "$here"/../{control-plane,node}/go.mod | cmp --silent - "$target/node/version" || "$here/../node/build.sh"
    cmp --silent "$here/go.mod" "$target/kind/version" || "$here/build.sh"
}

build() {
    rm -rf "$work"
    mkdir -p "$root"
    install_debian
    install_files_of_kind
    install_programs "$1"
    pack_pods "$1"
    import_pods
}

install_debian() {
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" | head --lines 1)
    debootstrap --variant=minbase --include="$(IFS=, && echo "${packages[*]}")" "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" \
        >"$work/debootstrap.log" || { tail --lines 5 "$work/debootstrap.log" && exit 1; }
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,locale,man}/*
    ln --symbolic /usr/lib/cni "$root/opt/cni-bin" && mkdir "$root/opt/cni" && mv "$root/opt/cni-bin" "$root/opt/cni/bin"
}

# What the Dockerfile of kind's base image does.
install_files_of_kind() {
    local base units=$root/lib/systemd/system
    base=$(cd "$here" && GOWORK=off go list -m -f '{{.Dir}}' sigs.k8s.io/kind)/images/base
    cp --recursive --no-preserve=mode,ownership "$base/files/." "$root"
    chmod 755 "$root"/usr/local/bin/* "$root"/kind/bin/*
    rm -f "$units"/{multi-user,local-fs,basic}.target.wants/* "$root"/etc/systemd/system/*.wants/* \
        "$units"/sockets.target.wants/*{udev,initctl}* "$units/sysinit.target.wants/systemd-tmpfiles-setup.service"
    echo ReadKMsg=no >>"$root/etc/systemd/journald.conf"
    systemctl --quiet enable kubelet containerd undo-mount-hacks
    systemctl --quiet mask systemd-binfmt
    mkdir -p "$root/etc/kubernetes/manifests"
    # Otherwise no pod starts on a machine where a process may not lower its own score.
    sed --in-place 's/restrict_oom_score_adj = false/restrict_oom_score_adj = true/' "$root/etc/containerd/config.toml"
}

systemctl() { chroot "$root" systemctl "$@"; }

install_programs() { # VERSION
    install -m 755 "$target"/node/{containerd,containerd-shim-runc-v2,ctr} "$root/usr/local/bin"
    install -m 755 "$target/node/runc" "$root/usr/local/sbin"
    install -m 755 "$target/node/kubelet" "$target/control-plane/kubectl" "$target/node/kubeadm" "$root/usr/bin"
    printf %s "$1" >"$root/kind/version"
    # What each container of a pod starts from.
    "$target/node/ctr" oci spec | chroot "$root" jq \
        '.hooks.createContainer += [{path: "/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)' >"$root/etc/containerd/cri-base.json"
}

# An archive with the images of the pods that kubeadm starts. All have the same layer, with every program, and with what kube-proxy runs.
pack_pods() { # VERSION
    local pods=$work/pods names pause coredns others
    mkdir "$pods"
    (cd "$root" && tar --create --file "$pods/layer.tar" bin sbin lib* etc/alternatives tmp usr/sbin usr/lib*/ld-linux-* usr/lib/*-linux-gnu)
    tar --append --file "$pods/layer.tar" --absolute-names --transform 's,.*/,usr/local/bin/,' "${programs[@]}"
    digest=$(sha256sum "$pods/layer.tar" | head --bytes 64)
    names=$("$target/node/kubeadm" config images list --kubernetes-version "$1")
    pause=$(grep /pause: <<<"$names")
    coredns=$(grep /coredns: <<<"$names")
    others=$(grep --invert-match '/pause:\|/coredns:' <<<"$names")
    pod_image '["/usr/local/bin/pause"]' >"$pods/pause.json"
    pod_image '["/usr/local/bin/coredns"]' >"$pods/coredns.json"
    pod_image null >"$pods/others.json"
    {
        echo '['
        echo "{\"Config\": \"pause.json\", \"Layers\": [\"layer.tar\"], \"RepoTags\": [\"$pause\"]},"
        echo "{\"Config\": \"coredns.json\", \"Layers\": [\"layer.tar\"], \"RepoTags\": [\"$coredns\"]},"
        echo "{\"Config\": \"others.json\", \"Layers\": [\"layer.tar\"], \"RepoTags\": [\"${others//$'\n'/\", \"}\"]}"
        echo ']'
    } >"$pods/manifest.json"
    tar --create --file "$work/pods.tar" --directory "$pods" .
    rm -r "$pods"
    sed --in-place "s,sandbox_image = .*,sandbox_image = \"$pause\"," "$root/etc/containerd/config.toml"
}

pod_image() { # ENTRYPOINT
    echo "{\"architecture\": \"$(dpkg --print-architecture)\", \"os\": \"linux\", \"rootfs\": {\"type\": \"layers\", \"diff_ids\": [\"sha256:$digest\"]},
        \"config\": {\"Entrypoint\": $1, \"Env\": [\"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"]}}"
}

# The containerd of the node finds them in its store, which one that runs here fills.
import_pods() {
    local state process tries
    state=$(mktemp --directory)
    cat >"$state/config.toml" <<CONFIG
version = 3
root = "$root/var/lib/containerd"
state = "$state"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime"]
[grpc]
address = "$state/socket"
CONFIG
    "$target/node/containerd" --config "$state/config.toml" >"$work/containerd.log" 2>&1 &
    process=$!
    for ((tries = 0; tries < 50; tries++)); do
        ctr "$state" version >/dev/null 2>&1 && break
        sleep 0.2
    done
    ctr "$state" images import --no-unpack "$work/pods.tar" >/dev/null || { tail --lines 5 "$work/containerd.log" && exit 1; }
    kill "$process"
    wait "$process" || true
    rm -rf "$state"
}

ctr() { # STATE ARGUMENT...
    "$target/node/ctr" --address "$1/socket" --namespace k8s.io "${@:2}"
}

main
