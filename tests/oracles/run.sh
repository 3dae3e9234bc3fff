#!/usr/bin/env bash
# Compares what `portcullis explain` says with what a controller and its proxy answer to generated requests (docs/oracles.md).
#   tests/oracles/run.sh          20,000 requests to Contour and Envoy
#   tests/oracles/run.sh short    3,000 requests to them, as in CI
#   tests/oracles/run.sh traefik  10,000 requests to Traefik
# SEED generates other worlds and requests, and REQUESTS is their number. PORTCULLIS_BIN is the program (default target/debug/portcullis).
# The deviations must be of the classes that expected.tsv or expected-traefik.tsv lists. What was recorded and compared is in
# target/oracles, for Traefik in target/oracles/traefik.
set -euo pipefail
form=${1:-full}
case $form in
full) requests=${REQUESTS:-20000} ;;
short) requests=${REQUESTS:-3000} ;;
traefik) requests=${REQUESTS:-10000} ;;
*)
    echo "usage: $0 [short | traefik]" >&2
    exit 2
    ;;
esac
seed=${SEED:-1}
cd "$(dirname "$0")/../.."
here=$PWD/tests/oracles out=$PWD/target/oracles
programs=${KUBEBUILDER_ASSETS:-$PWD/target/control-plane}
portcullis=$(realpath "${PORTCULLIS_BIN:-target/debug/portcullis}")
if (($(id -u))); then
    echo "root is needed, for a network namespace" >&2
    exit 1
fi
if [[ ! ${KUBEBUILDER_ASSETS:-} && ! -e $programs/version ]]; then tests/control-plane/build.sh; fi
if [[ $form == traefik ]]; then
    out+=/traefik
    "$here/traefik/build.sh" "$out"
    expected=expected-traefik
    controller=(--traefik "$out/traefik" --crd "$out/crds")
else
    "$here/build.sh"
    expected=expected
    examples=$(cd "$here" && GOWORK=off go list -m -f '{{.Dir}}' github.com/projectcontour/contour)/examples
    controller=(
        --contour "$out/contour" --envoy "$(echo "$out"/venv/lib/python3*/site-packages/envoy/_bin/envoy)"
        --crd "$examples/contour/01-crds.yaml" --crd "$examples/gateway/00-crds.yaml"
    )
fi
mkdir -p "$out/logs"
rm -rf "$out/logs"/* "$out/compared"

begin=$SECONDS
echo "SEED=$seed REQUESTS=$requests; logs are in $out/logs"
# The servers end with the process that is the first of the namespace, and that one ends with this script.
PYTHONDONTWRITEBYTECODE=1 unshare --net --pid --fork --kill-child --mount-proc -- python3 "$here/record.py" --programs "$programs" \
    --logs "$out/logs" --out "$out/recorded.json.gz" "${controller[@]}" \
    --seed "$seed" --requests "$requests"
echo "recorded in $((SECONDS - begin)) s"
PYTHONDONTWRITEBYTECODE=1 python3 "$here/compare.py" --portcullis "$portcullis" --recording "$out/recorded.json.gz" --folder "$out/compared" \
    --expected "$here/$expected.tsv" $([[ $form == short ]] || echo --full)
echo "compared after $((SECONDS - begin)) s"
