#!/usr/bin/env bash
# Pushes what release/build.sh has made, for the release workflow, in these steps:
#   login       to the registry, with GITHUB_TOKEN
#   image       the image of both architectures
#   chart       the chart
#   sign        both, by the digests in IMAGE and CHART, and SHA256SUMS: with the identity of the workflow (cosign, keyless)
#   release     the release on GitHub, with all files
#   crates      the packages to crates.io, with CARGO_REGISTRY_TOKEN, unless they are there
# `image` and `chart` say the name and the digest, for the steps of the workflow that follow.
set -euo pipefail
cd "$(dirname "$0")/.."
source release/common.sh

login() {
    docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin <<<"$GITHUB_TOKEN"
}

image() {
    skopeo copy --all --preserve-digests --digestfile dist/image.digest \
        "oci-archive:dist/portcullis-$version.oci.tar" "docker://$registry/portcullis:$version"
    pushed "$registry/portcullis" "$(<dist/image.digest)"
}

chart() {
    local said
    said=$(helm push "dist/release/portcullis-chart-$version.tgz" "oci://$registry/charts" 2>&1) || { echo "$said" >&2 && return 1; }
    echo "$said"
    pushed "$registry/charts/portcullis" "$(sed -n 's/^Digest: //p' <<<"$said")"
}

sign() {
    cosign sign --yes "${IMAGE:?the name and the digest of the image}" "${CHART:?the name and the digest of the chart}"
    cosign sign-blob --yes --bundle dist/release/SHA256SUMS.sigstore.json dist/release/SHA256SUMS
}

release() {
    # A step that is repeated finds what the first try has left.
    gh release view "v$version" >/dev/null 2>&1 ||
        gh release create "v$version" --verify-tag --title "v$version" --notes-file dist/release-notes.md
    gh release upload "v$version" --clobber dist/release/*
}

crates() {
    # The first version of a package must be published by a person.
    local package
    for package in portcullis-core portcullis; do
        if cargo info --quiet --registry crates-io "$package@$version" >/dev/null 2>&1; then
            echo "crates.io has $package $version already"
        else
            cargo publish --package "$package" --locked
        fi
    done
}

# Says what was pushed: pushed NAME DIGEST
pushed() {
    [[ $2 == sha256:* ]] || { echo "$1 has no digest: $2" >&2 && return 1; }
    echo "$1@$2"
    printf '%s\n' "name=$1" "digest=$2" >>"${GITHUB_OUTPUT:-/dev/null}"
}

case ${1:-} in
login | image | chart | sign | release | crates) find_repository && "$1" ;;
*) echo "unknown step ${1:-}: login, image, chart, sign, release and crates are known" >&2 && exit 2 ;;
esac
