#!/usr/bin/env bash
# Installs pre-commit in target/tools/pre-commit, if it is not there in this version.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=4.7.0 folder=target/tools/pre-commit
if ! "$folder/bin/pre-commit" --version 2>/dev/null | grep -qF "$version"; then
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "pre-commit==$version"
fi
