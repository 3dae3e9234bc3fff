#!/bin/sh
# Installs the program of a release for the runner, and puts it on the PATH of the steps that follow. Its hash must be in the list of the
# release, and where cosign is on the PATH, the list must be signed by the workflow of the release. The variables are those of a runner, and
# those that action.yml sets.
set -eu

fail() {
    echo "::error title=portcullis::$1"
    exit 1
}

extension=
case $RUNNER_OS-$RUNNER_ARCH in
Linux-X64) platform=linux-amd64 ;;
Linux-ARM64) platform=linux-arm64 ;;
macOS-X64) platform=darwin-amd64 ;;
macOS-ARM64) platform=darwin-arm64 ;;
Windows-X64) platform=windows-amd64 extension=.exe ;;
*) fail "a release has no program for $RUNNER_OS on $RUNNER_ARCH; use a runner with Linux or macOS on X64 or ARM64, or Windows on X64" ;;
esac
version=${VERSION#v}
if [ -z "$version" ]; then
    version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml")
fi
if [ -z "$RELEASES" ]; then
    [ -n "$REPOSITORY" ] || fail "an action in a local folder has no releases; set the input \`releases\`"
    RELEASES=$GITHUB_SERVER_URL/$REPOSITORY/releases/download
fi
program=portcullis-$version-$platform$extension
folder=$RUNNER_TEMP/$program
mkdir -p "$folder"
cd "$folder"
download() {
    curl --fail --silent --show-error --location --retry 3 --output "$1" "$RELEASES/v$version/$1" ||
        fail "$RELEASES/v$version/$1 cannot be downloaded; set the input \`version\` to a published release"
}
download "$program"
download SHA256SUMS
# The list is from where the program is, so by itself it shows only that the download is complete. Another server than github.com has another
# issuer of identities, and perhaps only a copy of the repository.
if [ "$GITHUB_SERVER_URL" = https://github.com ] && [ -n "$REPOSITORY" ] && command -v cosign >/dev/null; then
    download SHA256SUMS.sigstore.json
    cosign verify-blob SHA256SUMS --bundle SHA256SUMS.sigstore.json \
        --certificate-identity "https://github.com/$REPOSITORY/.github/workflows/release.yaml@refs/tags/v$version" \
        --certificate-oidc-issuer https://token.actions.githubusercontent.com ||
        fail "SHA256SUMS of v$version is not signed by the release workflow of $REPOSITORY"
fi
# macOS has `shasum`, and a container of Linux may have nothing but `sha256sum`.
sha256=$(command -v shasum >/dev/null && echo shasum -a 256 || echo sha256sum)
grep " $program\$" SHA256SUMS | $sha256 --check --status || fail "$program is not the file that SHA256SUMS of the release lists"
chmod +x "$program"
mv "$program" "portcullis$extension"
echo "$folder" >>"$GITHUB_PATH"
