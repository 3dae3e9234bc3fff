#!/usr/bin/env bash
# Tries a program on files: release/try.sh PROGRAM. It must accept what is right and deny what takes the path of another team.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! "$1" lint --quiet examples/cluster; then
    echo "$1 does not accept examples/cluster" >&2
    exit 1
fi
code=0
findings=$("$1" lint demo/another-teams-path.yaml --objects examples/cluster) || code=$?
if [[ $code != 1 || $findings != *'[host/path-conflict]'* ]]; then
    echo "$1 does not deny demo/another-teams-path.yaml (exit code $code): $findings" >&2
    exit 1
fi
echo "$1 denies demo/another-teams-path.yaml"
