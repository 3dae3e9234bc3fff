#!/usr/bin/env bash
# Builds the image of this commit in two clones in different folders, and compares every file that comes out.
#   image/reproducible.sh [--profile release|fast] [amd64] [arm64]
# By default amd64 in the fast profile. Changes that are not committed are not built.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=fast
if [[ ${1:-} == --profile ]]; then
    profile=$2
    shift 2
fi
if (($# == 0)); then set -- amd64; fi
image/build.sh --check
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT
commit=$(git rev-parse HEAD)
for clone in one another/folder/two; do
    git clone --quiet --shared --no-checkout . "$scratch/$clone"
    git -C "$scratch/$clone" checkout --quiet --detach "$commit"
    mkdir -p "$scratch/$clone/target"
    # The tools are not part of the image.
    mkdir -p target/tools
    ln --symbolic "$PWD/target/tools" "$scratch/$clone/target/tools"
    "$scratch/$clone/image/build.sh" --profile "$profile" "$@"
    (cd "$scratch/$clone/dist" && find . -type f -print0 | sort --zero-terminated | xargs --null sha256sum) >"$scratch/${clone##*/}.sums"
    rm -rf "${scratch:?}/$clone/target"
done
if ! diff "$scratch/one.sums" "$scratch/two.sums"; then
    echo "two builds of $commit differ" >&2
    exit 1
fi
cat "$scratch/one.sums"
echo "two builds of $commit are equal"
