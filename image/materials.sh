#!/usr/bin/env bash
# Writes the bill of materials (CycloneDX) of the program for a target, with the tool that image/build.sh installs:
#   image/materials.sh TARGET FILE
set -euo pipefail
target=$1
mkdir -p "$(dirname "$2")"
file=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")/.."
PATH=$PWD/target/tools/bin:$PATH
SOURCE_DATE_EPOCH=0 cargo cyclonedx --quiet --format json --target "$target" --override-filename portcullis
materials=$(<portcullis.json)
# It would name the path of our own crates.
echo "${materials//"file://$PWD"/file:///source}" >"$file"
rm portcullis.json
find benches crates fuzz -name portcullis.json -delete
