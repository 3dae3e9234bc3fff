#!/usr/bin/env bash
# Runs the conformance suite of the Gateway API against a kube-apiserver and Portcullis, on 127.0.0.1 (docs/conformance.md).
#   tests/conformance/run.sh live       the suite reads the statuses that the controller writes
#   tests/conformance/run.sh offline    it reads those that `portcullis status` computes from files, which include Secrets and ConfigMaps
#   tests/conformance/run.sh short      as offline, without the tests that fail only because they need traffic
# The failures must be those that expected-failures.tsv lists. One that is not listed fails the run, and so does a listed one that passes or
# is gone, since the list must then shrink. Further arguments are flags of the suite, such as `-run-test HTTPRouteWeight`, and the results
# are then not compared. PORTCULLIS_BIN is the program (default target/debug/portcullis). The results are in target/conformance.
set -euo pipefail
form=${1:-live}
shift || true
case $form in
live) statuses=live ;;
offline | short) statuses=offline ;;
*)
    echo "usage: $0 [live|offline|short] [FLAGS]" >&2
    exit 2
    ;;
esac
cd "$(dirname "$0")/../.."
if (($(id -u) && $(</proc/sys/net/ipv4/ip_unprivileged_port_start) > 443)); then
    echo "the listeners of some tests have port 443: root is needed, or sysctl net.ipv4.ip_unprivileged_port_start=443" >&2
    exit 1
fi
here=$PWD/tests/conformance
programs=${KUBEBUILDER_ASSETS:-$PWD/target/control-plane}
portcullis=$(realpath "${PORTCULLIS_BIN:-target/debug/portcullis}")
if [[ ! ${KUBEBUILDER_ASSETS:-} && ! -e $programs/version ]]; then tests/control-plane/build.sh; fi
"$here/build.sh"
out=$PWD/target/conformance/$form
rm -rf "$out"
mkdir -p "$out"
export PATH="$programs:$PATH" KUBECONFIG=$out/kubeconfig

begin=$SECONDS
folder=$(mktemp -d)
pids=()
# A kube-apiserver without its etcd would take minutes to end.
trap 'kill -KILL "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null; rm -rf "$folder"' EXIT

# Starts a server, whose log is named after it.
start() {
    "$@" &>"$out/$(basename "$1").log" &
    disown
    pids+=($!)
}

# Waits until a command succeeds, for a minute.
wait_for() {
    for _ in {1..300}; do
        if "$@" &>/dev/null; then return; fi
        sleep 0.2
    done
    echo "this did not succeed within a minute: $*; see $out" >&2
    exit 1
}

free_port() {
    local port
    while port=$((20000 + RANDOM % 10000)) && (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    echo "$port"
}

"$portcullis" certs --out "$folder" --name portcullis.portcullis.svc >/dev/null
etcd=http://127.0.0.1:$(free_port)
start etcd --data-dir "$folder/etcd" --listen-client-urls "$etcd" --advertise-client-urls "$etcd" --listen-peer-urls http://127.0.0.1:0 \
    --unsafe-no-fsync --log-level error
port=$(free_port)
echo admin,admin,admin,system:masters >"$folder/tokens.csv"
# Without a ServiceAccount controller, the ServiceAccount plugin would let no pod be created.
start kube-apiserver --etcd-servers "$etcd" --bind-address 127.0.0.1 --secure-port "$port" --cert-dir "$folder/api-server" \
    --advertise-address 127.0.0.1 --endpoint-reconciler-type none --service-cluster-ip-range 10.96.0.0/16 \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$folder/tls.crt" \
    --service-account-signing-key-file "$folder/tls.key" --disable-admission-plugins ServiceAccount \
    --token-auth-file "$folder/tokens.csv" --authorization-mode RBAC
{
    kubectl config set-cluster conformance --server "https://127.0.0.1:$port" --certificate-authority "$folder/api-server/apiserver.crt"
    kubectl config set-credentials admin --token admin
    kubectl config set-context conformance --cluster conformance --user admin
    kubectl config use-context conformance
} >/dev/null
wait_for kubectl get --raw /readyz
crds=$(cd "$here" && GOWORK=off go list -m -f '{{.Dir}}' sigs.k8s.io/gateway-api)/config/crd/experimental
find "$crds" -name '*.yaml' ! -name 'kustomization.yaml' -exec kubectl apply --server-side -f {} \; >"$out/setup.log"
kubectl apply -k manifests/crds >>"$out/setup.log"
wait_for kubectl apply --server-side -f "$here/cluster.yaml"
kubectl apply --server-side --subresource status -f "$here/service.yaml" >>"$out/setup.log"
start "$portcullis" serve --kubeconfig "$KUBECONFIG" --config "$here/config.yaml" --controller --tls-cert "$folder/tls.crt" \
    --tls-key "$folder/tls.key" --listen 127.0.0.1:0 --health-listen 127.0.0.1:0
kubectl wait --for condition=Accepted --timeout 1m gatewayclass/gateway-conformance >>"$out/setup.log"

listed=$here/expected-failures.tsv
flags=()
if [[ $statuses == offline ]]; then flags+=(-offline); fi
if [[ $form == short ]]; then
    # Tests some of whose failures have another cause still run.
    skipped=$(awk -F'\t' '/^#/ || $1 == "live" { next } { all[$2] } $4 !~ /^traffic:/ { other[$2] }
        END { for (test in all) if (!(test in other)) print test }' "$listed" | sort | paste -sd,)
    awk -F'\t' -v skipped=",$skipped," '!index(skipped, "," $2 ",")' "$listed" >"$out/expected-failures.tsv"
    listed=$out/expected-failures.tsv
    flags+=(-skip-tests "$skipped")
fi
set +e
(cd "$here" && "$out/../suite" -test.run TestConformance -test.v=test2json -test.parallel 4 -test.timeout 30m -portcullis "$portcullis" \
    -portcullis-config "$here/config.yaml" -conformance-options-file options.yaml -report-output "$out/report.yaml" \
    "${flags[@]}" "$@") >"$out/suite.log" 2>&1
code=$?
set -e
go tool test2json -t <"$out/suite.log" >"$out/events.jsonl"
echo "the suite took $((SECONDS - begin)) s with the start of the servers; see $out"
if (($#)); then exit "$code"; fi
"$out/../compare" "$listed" "$statuses" <"$out/events.jsonl"
