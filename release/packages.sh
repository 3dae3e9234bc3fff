#!/usr/bin/env bash
# Installs the Debian packages that `release/build.sh programs` needs beside Rust, for root: buildah, and what runs programs of ARM.
set -euo pipefail
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends buildah gcc python3-venv qemu-user-static >/dev/null
