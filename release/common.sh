# For the scripts of a release: its version, and where it is published. The caller is in the root of the repository.

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)

# Sets `repository` to that on GitHub, of the workflow or else of the remote `origin`, and `registry` to the folder of its owner, whose name
# has no capitals there.
find_repository() {
    repository=${GITHUB_REPOSITORY:-}
    if [[ ! $repository && $(git remote get-url origin 2>/dev/null) =~ github\.com[:/]([^/]+/[^/]+)$ ]]; then
        repository=${BASH_REMATCH[1]%.git}
    fi
    if [[ $repository != */* ]]; then
        echo "the repository on GitHub is not known; set GITHUB_REPOSITORY=OWNER/NAME" >&2
        exit 1
    fi
    registry=${repository%/*}
    registry=ghcr.io/${registry,,}
}
