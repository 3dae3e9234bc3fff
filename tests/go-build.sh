# For the scripts that build Go programs, whose versions the go.mod beside the script pins. Enters the folder of the script, `here`, and
# makes the folder for the programs, `out`: the script's argument, or by default target/ with the name of its folder.

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../target/${here##*/}}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"
export CGO_ENABLED=0 GOWORK=off GOFLAGS="${GOFLAGS:-} -mod=readonly"

# The linker flags of Kubernetes' programs. Without a version the server calls itself v0.0.0-master, and kubectl cannot compare versions.
kubernetes_flags() {
    local version major minor about=k8s.io/component-base/version
    version=$(kubernetes_version)
    IFS=. read -r major minor _ <<<"${version#v}"
    echo "-s -w -X $about.gitVersion=$version -X $about.gitMajor=$major -X $about.gitMinor=$minor"
}

kubernetes_version() { go list -m -f '{{.Version}}' k8s.io/kubernetes; }
