#!/usr/bin/env bash
# Builds the program of a system that needs a machine of its own into dist/native/PLATFORM, and tries it. Linux: image/build.sh.
#   release/native.sh darwin-amd64|darwin-arm64|windows-amd64
#   release/native.sh --target PLATFORM     say what Rust calls it
# The bash of macOS is version 3.
set -euo pipefail
cd "$(dirname "$0")/.."
platform=${*: -1}
program=portcullis
case $platform in
darwin-amd64) target=x86_64-apple-darwin ;;
darwin-arm64) target=aarch64-apple-darwin ;;
windows-amd64)
    target=x86_64-pc-windows-msvc
    program=portcullis.exe
    # The program needs no library beside it, and its build no assembler: aws-lc-rs brings objects of its own.
    export RUSTFLAGS="-C target-feature=+crt-static" AWS_LC_SYS_PREBUILT_NASM=1
    ;;
*)
    echo "unknown platform $platform: darwin-amd64, darwin-arm64 and windows-amd64 are known" >&2
    exit 2
    ;;
esac
if [[ $1 == --target ]]; then
    echo "$target"
    exit
fi
rustup target add "$target"
cargo build --locked --release --bin portcullis --target "$target"
mkdir -p "dist/native/$platform"
cp "target/$target/release/$program" "dist/native/$platform/$program"
release/try.sh "dist/native/$platform/$program"
