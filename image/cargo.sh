#!/usr/bin/env bash
# cargo, as `cargo auditable` runs it. That makes itself the wrapper of the compiler by its absolute path, which cargo hashes into the
# names of all symbols, so two checkouts would give two programs. By its name alone it is found on the PATH.
set -euo pipefail
RUSTC_WORKSPACE_WRAPPER=cargo-auditable exec cargo "$@"
