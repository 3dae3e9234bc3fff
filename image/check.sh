#!/usr/bin/env bash
# Checks a program that image/build.sh built: it must deny the review in examples/reviews/path-conflict.json. A program of another
# architecture runs under qemu-user.
#   image/check.sh DIRECTORY amd64|arm64
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1/$2/portcullis
run=()
case $2-$(uname -m) in
amd64-x86_64 | arm64-aarch64) ;;
arm64-*) run=(qemu-aarch64-static) ;;
amd64-*) run=(qemu-x86_64-static) ;;
esac
if ((${#run[@]})) && ! command -v "${run[0]}" >/dev/null; then
    echo "$program is not checked; missing: ${run[0]} (qemu-user-static)" >&2
    # Where every check is required, this one is, too.
    if [[ ${CI:-} ]]; then exit 1; fi
    exit 0
fi

scratch=$(mktemp --directory)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
"${run[@]}" "$program" serve --objects examples/cluster --cert-dir "$scratch" --listen 127.0.0.1:0 --health-listen 127.0.0.1:0 \
    --log-format json >"$scratch/log" 2>&1 &
server=$!
address() { sed -n 's/.*"webhook":"\([^"]*\)".*/\1/p' "$scratch/log"; }
for ((tries = 0; tries < 300; tries++)); do
    if [[ $(address) ]]; then break; fi
    sleep 0.1
done
if [[ ! $(address) ]]; then
    echo "$program did not say its address within 30 s" >&2
    cat "$scratch/log" >&2
    exit 1
fi
# The development certificate is for localhost.
answer=$(curl --silent --show-error --cacert "$scratch/ca.crt" --connect-to "localhost:443:$(address)" \
    --header 'Content-Type: application/json' --data @examples/reviews/path-conflict.json https://localhost/validate)
if [[ $answer != *'[host/path-conflict]'* ]]; then
    echo "$program did not deny the review: $answer" >&2
    cat "$scratch/log" >&2
    exit 1
fi
echo "$program denies examples/reviews/path-conflict.json${run[0]:+ (under ${run[0]})}"
