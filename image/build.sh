#!/usr/bin/env bash
# Builds the image into dist/, without a registry and without a daemon.
#   image/build.sh [--profile release|fast] [--directory DIR] [--tag TAG] [amd64] [arm64]
#   image/build.sh --check           say in one line what is missing here
# By default both architectures, as they are released, in dist/, tagged with the version. The folder
# then has, for each architecture, the program, its SBOM (CycloneDX) and the image as an archive that `kind load image-archive`,
# `ctr images import` and `docker load` read, and of both architectures one archive that skopeo and buildah push to a registry.
# Two builds of one commit give the same digests, wherever they are made.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=release
directory=dist
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
tag=$version
while [[ ${1:-} == --* ]]; do
    case $1 in
    --profile) profile=$2 ;;
    --directory) directory=$2 ;;
    --tag) tag=$2 ;;
    --check) check=only && break ;;
    *) echo "unknown option $1" >&2 && exit 2 ;;
    esac
    shift 2
done
architectures=("$@")
if (($# == 0)); then architectures=(amd64 arm64); fi
revision=$(git describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null || echo unknown)
tools=$PWD/target/tools
source tests/prerequisites.sh

main() {
    need buildah cargo cc curl git python3 rustup
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
    end_if_missing "the image cannot be built here"
    if [[ ${check:-} ]]; then exit; fi
    install_tools
    local architecture
    for architecture in "${architectures[@]}"; do
        build "$architecture"
        image/check.sh "$directory" "$architecture"
        image/materials.sh "$(target "$architecture")" "$directory/$architecture/portcullis.cdx.json"
        pack "$architecture"
    done
    if ((${#architectures[@]} > 1)); then index; fi
}

# The cross compiler from PyPI, and the tools that record dependencies from crates.io, whose own speed does not matter.
install_tools() {
    [[ -x $tools/zig/bin/pip ]] || python3 -m venv "$tools/zig"
    "$tools/zig/bin/pip" install --quiet --disable-pip-version-check --requirement image/requirements.txt
    cargo install --quiet --locked --debug --root "$tools" cargo-auditable@0.7.7 cargo-cyclonedx@0.5.9
    PATH=$tools/zig/bin:$tools/bin:$PATH
}

target() {
    case $1 in
    amd64) echo x86_64-unknown-linux-musl ;;
    arm64) echo aarch64-unknown-linux-musl ;;
    *) echo "unknown architecture $1: amd64 and arm64 are known" >&2 && return 2 ;;
    esac
}

# The static program, with the list of its dependencies inside (`cargo audit bin`). No path of this machine is part of it.
build() {
    local target
    target=$(target "$1")
    rustup --quiet target add "$target"
    local cargo_home=${CARGO_HOME:-$HOME/.cargo}
    local remap="-ffile-prefix-map=$PWD=/source -ffile-prefix-map=$cargo_home=/cargo"
    CFLAGS="$remap" RUSTFLAGS="--remap-path-prefix=$PWD=/source --remap-path-prefix=$cargo_home=/cargo" \
        CARGO=$PWD/image/cargo.sh cargo-auditable auditable zigbuild --locked --profile "$profile" --bin portcullis --target "$target"
    mkdir -p "$directory/$1"
    install -m 0755 "target/$target/$profile/portcullis" "$directory/$1/portcullis"
}

# The same archive with entries in the order of their names, without times and owners, which would differ from build to build.
repack() {
    local content
    content=$(mktemp --directory)
    tar --extract --file "$1" --directory "$content"
    tar --create --file "$1" --directory "$content" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=ustar \
        --mode=u=rwX,go=rX oci-layout index.json blobs
    rm -rf "$content"
}

storage=(--root "$PWD/target/buildah" --runroot "$PWD/target/buildah-run" --storage-driver vfs)

name() { echo "portcullis:$tag-$1"; }

# The image, as an archive whose tag is the version.
pack() {
    buildah "${storage[@]}" bud --quiet --isolation chroot --platform "linux/$1" --timestamp 0 --identity-label=false \
        --build-arg VERSION="$version" --build-arg REVISION="$revision" --tag "$(name "$1")" \
        --file Dockerfile --ignorefile /dev/null "$directory" >/dev/null
    local archive=$directory/portcullis-$tag-$1.tar
    rm -f "$archive"
    buildah "${storage[@]}" push --quiet "$(name "$1")" "docker-archive:$archive:portcullis:$tag"
    echo "$archive $(buildah "${storage[@]}" inspect --type image --format '{{.FromImageDigest}}' "$(name "$1")")"
}

# Both architectures in one archive, of which a node takes its own.
index() {
    local archive=$directory/portcullis-$tag.oci.tar architecture
    buildah "${storage[@]}" manifest rm "portcullis:$tag" >/dev/null 2>&1 || true
    buildah "${storage[@]}" manifest create "portcullis:$tag" >/dev/null
    for architecture in "${architectures[@]}"; do
        buildah "${storage[@]}" manifest add "portcullis:$tag" "$(name "$architecture")" >/dev/null
    done
    rm -f "$archive"
    buildah "${storage[@]}" manifest push --quiet --all "portcullis:$tag" "oci-archive:$archive" >/dev/null
    repack "$archive"
    echo "$archive"
}

main
