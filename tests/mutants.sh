#!/usr/bin/env bash
# Mutates the functions that decide, and says which mutants no test notices: tests/mutants.sh [SHARD/SHARDS]
# 200 mutants are drawn from `checks`, `validation`, `routing` and `review`, the same ones on each run. The unit tests of the core and
# `tests/pure` run against each of them; a survivor is tried with the trials by hand. The results are in target/mutants.
set -euo pipefail
cd "$(dirname "$0")/.."
version=25.2.2 number=200 seed=758 # Later versions delete fields of structs, too, and their filters do not apply to these mutants.
shard=${1:-0/1}
export PATH="$PWD/target/tools/bin:$PATH"
cargo mutants --version 2>/dev/null | grep -qF "$version" || cargo install cargo-mutants --locked --debug --version "$version" --root target/tools
folders=()
for folder in checks validation routing review; do folders+=(--file "crates/portcullis-core/src/$folder/**/*.rs"); done
output=target/mutants
mkdir -p "$output"
# The same lines in the same order on each run: a stream of digits takes the place of random numbers.
digits() { openssl enc -aes-256-ctr -pass "pass:$seed" -nosalt -pbkdf2 </dev/zero 2>/dev/null; }
cargo mutants --package portcullis-core "${folders[@]}" --list | sort >"$output/all.txt"
shuf --head-count "$number" --random-source <(digits) "$output/all.txt" | sort >"$output/drawn.txt"
# Each line as a regular expression that matches nothing else.
names=$(sed 's/[][\.*^$+?(){}|/]/\\&/g' "$output/drawn.txt" | paste --serial --delimiters '|')
echo "$(wc --lines <"$output/drawn.txt") of $(wc --lines <"$output/all.txt") mutants, shard $shard"
cargo mutants --package portcullis-core "${folders[@]}" --re "^($names)\$" --shard "$shard" --output "$output" --no-shuffle \
    --test-package portcullis-core --test-package portcullis --baseline skip --timeout 600 -- --lib --test pure
