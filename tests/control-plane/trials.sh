#!/usr/bin/env bash
# Runs the trials with servers on the kube-apiserver of another version, which other.sh builds.
#   tests/control-plane/trials.sh v1.31.14
# The trials that fail must be those that expected-failures.tsv lists for this version. One that is not listed fails the run, and so does a
# listed one that passes or is gone, since the list must then shrink.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$1
minor=${version#v}
minor=${minor%.*}
folder=target/control-plane-$version
list=tests/control-plane/expected-failures.tsv
tests/control-plane/other.sh "$version"
KUBEBUILDER_ASSETS=$PWD/$folder cargo test --test it | tee "$folder/trials.log" || true
if ! grep -q '^test result: ' "$folder/trials.log"; then
    echo "the trials did not run to their end" >&2
    exit 1
fi
listed=$(sed -n "s/^${minor/./\\.}\t\([^\t]*\)\t.*/\1/p" "$list" | sort)
failed=$(sed -n 's/^test \([^ ]*\) *\.\.\. FAILED$/\1/p' "$folder/trials.log" | sort)
unlisted=$(comm -13 <(echo "$listed") <(echo "$failed"))
passed=$(comm -23 <(echo "$listed") <(echo "$failed"))
if [[ $unlisted ]]; then printf '%s\n' "these trials fail on $version, and $list does not list them:" "$unlisted" >&2; fi
if [[ $passed ]]; then printf '%s\n' "these trials do not fail on $version; remove them from $list, and correct SUPPORT.md:" "$passed" >&2; fi
[[ ! $unlisted && ! $passed ]]
