#!/usr/bin/env bash
# Runs the end-to-end steps (tests/it/e2e) with the image in real pods.
#   tests/end-to-end.sh kind|node [STEP...]
#   tests/end-to-end.sh kind|node --check    say in one line what is missing here
# `kind` and `node` differ in how the cluster starts, how a command is run on its nodes, and how the cluster ends. The image and the chart
# are pushed to a registry beside the cluster and installed from there. The image is built in the profile of PROFILE (default fast). With
# KEEP=1 the cluster stays afterwards. With PREVIOUS=REVISION, the image of that commit is built, too, and the step long::upgrade exists,
# which upgrades from its chart to ours, and back. With AFTER=PID, the cluster starts when that process has ended, since the steps are
# about what happens under a load of their own.
set -euo pipefail
cd "$(dirname "$0")/.."
cluster=tests/${1:?kind or node}/cluster.sh
shift
output=target/e2e
mkdir -p "$output"
export PORTCULLIS_CLUSTER=$PWD/$cluster PORTCULLIS_FIGURES=$PWD/$output/figures.md CI=true
"$cluster" check
image/build.sh --check
[[ ${1:-} != --check ]] || exit 0
began=$SECONDS
# Says how long the part took that ends here.
took() {
    echo "took $((SECONDS - began)) s: $1"
    began=$SECONDS
}
image/build.sh --profile "${PROFILE:-fast}" --directory "$output" amd64
image/build.sh --profile "${PROFILE:-fast}" --directory "$output" --tag next amd64
previous=target/previous
if [[ ${PREVIOUS:-} ]]; then
    # A clone has its own target, but for the tools.
    [[ -d $previous ]] || git clone --quiet --shared --no-checkout . "$previous"
    git -C "$previous" checkout --quiet --detach "$(git rev-parse --verify "$PREVIOUS^{commit}")"
    mkdir -p "$previous/target"
    ln --symbolic --force --no-dereference "$PWD/target/tools" "$previous/target/tools"
    "$previous/image/build.sh" --profile "${PROFILE:-fast}" --directory "$PWD/$output/previous" --tag previous amd64
    export PORTCULLIS_PREVIOUS=$PWD/$previous
fi
took "the images"
tests/helm/build.sh
if [[ $* == *long* ]]; then
    tests/gitops/build.sh
    tests/cert-manager/build.sh
    tests/promtool/build.sh
fi
cargo test --no-run
# The steps run where the modules cannot be reached.
modules() {
    sed -n 's/^    ("\([0-9.]*\)", "h1:.*/sigs.k8s.io\/gateway-api@v\1/p' tests/it/harness/gateway_api.rs
    sed -n 's/^    ("\(github[^"]*\)", "\([0-9.]*\)", "h1:.*/\1@v\2/p' tests/it/harness/contour.rs
}
# A module that asks for a newer Go is unpacked all the same, which go calls an error: what counts is that it is there.
fetch() {
    local said
    said=$(cd "$output" && GOWORK=off go mod download -json "$1" 2>&1) || true
    [[ $said == *'"Dir": '* || $said == *'"Zip": '* ]] || { echo "$1 cannot be fetched: $said" >&2 && return 1; }
}
for module in $(modules); do fetch "$module"; done
took "the tests and their tools"
[[ ! ${AFTER:-} ]] || tail --pid "$AFTER" --follow /dev/null
[[ ${KEEP:-} ]] || trap '"$cluster" down' EXIT
"$cluster" up
"$cluster" run tests/registry/push.sh "$output"/portcullis-*.tar ${PREVIOUS:+"$output/previous/portcullis-previous-amd64.tar"}
took "the start of the cluster"
rm -f "$PORTCULLIS_FIGURES"
for filter in "${@:-e2e::}"; do
    # Nothing is built or fetched in there.
    "$cluster" run cargo test --offline --quiet --test it -- --test-threads 1 "$filter"
    took "the steps $filter"
done
echo "figures: $output/figures.md"
