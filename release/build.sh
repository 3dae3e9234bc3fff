#!/usr/bin/env bash
# Makes the files of a release in dist/release, and pushes nothing: release/push.sh does.
#   release/build.sh [--directory DIR] [STEP...]
# Without a step, it does all of them in this order. Each reads what those before it have left in dist/, or in the given folder:
#   check       a tag names the version, and CHANGELOG.md has a section about it
#   programs    the programs and the image of Linux (image/build.sh), and bills of materials for all platforms
#   crates      the packages of crates.io, built as they will be published
#   files       each program, alone and in an archive with the license, and its bill of materials
#   chart       the chart, which installs the image of this release
#   manifests   install.yaml, which installs the same with kubectl, and a first configuration
#   krew        the manifest of the plugin for kubectl
#   notes       dist/release-notes.md, the section of CHANGELOG.md
#   checksums   SHA256SUMS
# Addresses are those of GITHUB_REPOSITORY=OWNER/NAME, by default of the remote `origin`. Programs for macOS and Windows are in the release
# if release/native.sh has built them, which needs their machines; with CI=true none may be missing.
set -euo pipefail
cd "$(dirname "$0")/.."
source release/common.sh
source tests/prerequisites.sh

directory=dist
if [[ ${1:-} == --directory ]]; then
    directory=$2
    shift 2
fi
steps=(check programs crates files chart manifests krew notes checksums)
platforms=(linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64)
files=$directory/release
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

main() {
    local step
    if (($# == 0)); then set -- "${steps[@]}"; fi
    for step in "$@"; do
        if [[ " ${steps[*]} " != *" $step "* ]]; then
            echo "unknown step $step; the steps are: ${steps[*]}" >&2
            exit 2
        fi
    done
    mkdir -p "$files"
    for step in "$@"; do "$step"; done
}

check() {
    local heading
    heading=$(grep "^## $version, " CHANGELOG.md) || fail "CHANGELOG.md has no section \`## $version, DATE\`"
    if [[ ${GITHUB_REF_TYPE:-} != tag ]]; then return; fi
    [[ $GITHUB_REF_NAME == "v$version" ]] || fail "the tag is $GITHUB_REF_NAME, and the version in Cargo.toml is $version; tag v$version"
    [[ $heading != *unreleased* ]] || fail "CHANGELOG.md calls $version unreleased; write the date there before the tag"
}

programs() {
    image/build.sh --directory "$directory"
    local platform
    for platform in darwin-amd64 darwin-arm64 windows-amd64; do
        image/materials.sh "$(release/native.sh --target "$platform")" "$directory/native/$platform/portcullis.cdx.json"
    done
}

crates() {
    cargo publish --workspace --dry-run --locked
}

# The program of a platform, where image/build.sh or release/native.sh has put it.
program() {
    case $1 in
    linux-*) echo "$directory/${1#linux-}/portcullis" ;;
    windows-*) echo "$directory/native/$1/portcullis.exe" ;;
    *) echo "$directory/native/$1/portcullis" ;;
    esac
}

files() {
    local platform program name
    rm -f "$files"/portcullis-*-*64*
    for platform in "${platforms[@]}"; do
        program=$(program "$platform")
        name=portcullis-$version-$platform
        if [[ ! -f $program ]]; then
            if [[ ${CI:-} ]]; then fail "$program is missing"; fi
            echo "the release has no program for $platform: $program is missing" >&2
            continue
        fi
        # An artifact of a workflow has lost the mode.
        install -D -m 0755 "$program" "$scratch/$platform/${program##*/}"
        install -m 0644 LICENSE "$scratch/$platform/LICENSE"
        archive "$files/$name.tar.gz" "$scratch/$platform" "${program##*/}" LICENSE
        install -m 0755 "$program" "$files/$name${program##*/portcullis}"
        install -m 0644 "${program%/*}/portcullis.cdx.json" "$files/$name.cdx.json"
    done
}

chart() {
    find_repository
    cp -R charts/portcullis "$scratch/portcullis"
    sed -i "s|^  registry: \"\"\$|  registry: $registry|" "$scratch/portcullis/values.yaml"
    grep -qx "  registry: $registry" "$scratch/portcullis/values.yaml" || fail "charts/portcullis/values.yaml has no line \`  registry: \"\"\`"
    archive "$files/portcullis-chart-$version.tgz" "$scratch" --exclude-from="$PWD/charts/portcullis/.helmignore" portcullis
}

manifests() {
    find_repository
    need kubectl
    end_if_missing "install.yaml cannot be written"
    mkdir "$scratch/manifests"
    cat >"$scratch/manifests/kustomization.yaml" <<YAML
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
sortOptions: {order: fifo}
resources: ["$(realpath --relative-to "$scratch/manifests" manifests)"]
images: [{name: portcullis, newName: $registry/portcullis}]
YAML
    kubectl kustomize "$scratch/manifests" >"$files/install.yaml"
    cp examples/starter.yaml "$files"
}

krew() {
    find_repository
    local line archive
    while IFS= read -r line; do
        line=${line//VERSION/$version}
        line=${line//REPOSITORY/$repository}
        if [[ $line == *"sha256: SHA256"* ]]; then
            archive=${line##*/}
            archive=$files/${archive%%\"*}
            if [[ ! -f $archive ]]; then
                if [[ ${CI:-} ]]; then fail "$archive is missing"; fi
                continue
            fi
            line=${line/SHA256/$(sha256sum "$archive" | cut -d ' ' -f 1)}
        fi
        if [[ $line != *"# "* ]]; then echo "$line"; fi
    done <release/krew.yaml >"$scratch/krew.yaml"
    grep -q sha256 "$scratch/krew.yaml" || fail "$files has no archive; do the step \`files\` before"
    install -m 0644 "$scratch/krew.yaml" "$files/krew.yaml"
}

notes() {
    find_repository
    local page=https://github.com/$repository/blob/v$version
    # A page of a release has no folder, so that links need their whole address.
    sed -n "/^## $version, /,/^## /{/^## /d;s|](\([^):]*\))|]($page/\1)|g;p}" CHANGELOG.md >"$directory/release-notes.md"
}

checksums() {
    (cd "$files" && find . -maxdepth 1 -type f ! -name 'SHA256SUMS*' -printf '%f\n' | sort | xargs --no-run-if-empty sha256sum) >"$scratch/SHA256SUMS"
    install -m 0644 "$scratch/SHA256SUMS" "$files/SHA256SUMS"
}

# An archive of files in a folder that is the same wherever it is made: archive ARCHIVE FOLDER FILE...
archive() {
    tar --create --directory "$2" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=ustar --mode=u=rwX,go=rX "${@:3}" |
        gzip -9 --no-name >"$1"
}

fail() {
    echo "$1" >&2
    exit 1
}

main "$@"
