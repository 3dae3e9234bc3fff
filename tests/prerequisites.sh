# For scripts that need programs which may be missing: they say in one line what is missing, and fail.

missing=()

# Notes the commands that are missing.
need() {
    local command
    for command in "$@"; do command -v "$command" >/dev/null || missing+=("$command"); done
}

# Notes what tests/node/build.sh needs and is missing.
need_for_programs_of_a_node() {
    need go gcc
    pkg-config --exists libseccomp 2>/dev/null || missing+=("libseccomp-dev and pkg-config")
}

# Ends the script if anything was missing. The argument says what cannot be done without it.
end_if_missing() {
    if ((${#missing[@]} == 0)); then return; fi
    echo "$1; missing: $(printf '%s, ' "${missing[@]}" | sed 's/, $//')" >&2
    exit 1
}
