#!/usr/bin/env bash
# Runs Portcullis with a real API server and shows what kubectl prints. Everything is on 127.0.0.1 and removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
programs=${KUBEBUILDER_ASSETS:-$target/control-plane}
echo "building Portcullis ..."
cargo build --quiet
[ -x "$programs/kube-apiserver" ] || tests/control-plane/build.sh "$programs"
PATH=$(cd "$programs" && pwd):$PATH

tmp=$(mktemp -d)
# Runs however the script ends, including Ctrl-C.
trap 'kill -KILL $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$tmp"' EXIT
# kubectl uses its own home, so that it finds neither the caches nor the clusters of the user.
home=$HOME
export HOME=$tmp KUBECONFIG=$tmp/kubeconfig

say() { printf '\n# %s\n' "$*"; }
show() {
  printf '$ kubectl'
  for word; do [[ $word == *[\"\ ]* ]] && printf " '%s'" "$word" || printf ' %s' "$word"; done
  echo
  kubectl "$@" 2>&1 || true
}
free_port() {
  while port=$((20000 + RANDOM % 10000)); (: <>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do :; done
  echo $port
}
wait_for() {
  for _ in {1..300}; do "$@" &>/dev/null && return; sleep 0.2; done
  echo "timed out after a minute: $*" >&2
  tail -n 5 "$tmp"/*.log >&2
  exit 1
}

start_control_plane() {
  local etcd=http://127.0.0.1:$(free_port) port; port=$(free_port)
  etcd --data-dir "$tmp/etcd" --listen-client-urls "$etcd" --advertise-client-urls "$etcd" \
    --listen-peer-urls http://127.0.0.1:0 --unsafe-no-fsync --log-level error &>"$tmp/etcd.log" &
  echo admin,admin,admin,system:masters >"$tmp/tokens.csv"
  kube-apiserver --etcd-servers "$etcd" --bind-address 127.0.0.1 --secure-port "$port" --cert-dir "$tmp/apiserver" \
    --advertise-address 127.0.0.1 --endpoint-reconciler-type none --service-cluster-ip-range 10.96.0.0/16 \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$tmp/certs/tls.crt" \
    --service-account-signing-key-file "$tmp/certs/tls.key" --disable-admission-plugins ServiceAccount \
    --token-auth-file "$tmp/tokens.csv" --authorization-mode RBAC &>"$tmp/kube-apiserver.log" &
  wait_for test -s "$tmp/apiserver/apiserver.crt"
  kubectl config set-cluster demo --server "https://127.0.0.1:$port" --certificate-authority "$tmp/apiserver/apiserver.crt"
  kubectl config set-credentials admin --token admin
  kubectl config set-context demo --cluster demo --user admin
  kubectl config use-context demo
  wait_for kubectl get --raw /readyz
}

# The Gateway API's CRDs, from their Go module.
install_gateway_api() {
  local folder; folder=$(HOME=$home go mod download -json sigs.k8s.io/gateway-api@v1.6.3 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
  kubectl apply --server-side -f "$folder/config/crd/standard"
}

# The webhooks of manifests/ with another port: no pods run here, so the Service points to this machine.
start_gate() {
  local port health; port=$(free_port) health=$(free_port)
  { cat manifests/config.yaml; echo 'rootNamespaces: {IngressRoute: [roots]}'; } >"$tmp/config.yaml"
  "$target/debug/portcullis" serve --kubeconfig "$KUBECONFIG" --config "$tmp/config.yaml" --listen "127.0.0.1:$port" \
    --health-listen "127.0.0.1:$health" --tls-cert "$tmp/certs/tls.crt" --tls-key "$tmp/certs/tls.key" --controller \
    &>"$tmp/gate.log" &
  wait_for curl --fail "http://127.0.0.1:$health/readyz"
  kubectl apply -f manifests/namespace.yaml
  kubectl create service externalname portcullis --namespace portcullis --external-name localhost
  kubectl kustomize manifests/webhooks | sed "s/port: 443/port: $port/" |
    awk -v ca="$(base64 <"$tmp/certs/ca.crt" | tr -d '\n')" '{ print } /clientConfig:$/ { print "    caBundle: " ca }' |
    kubectl apply -f -
}

echo "starting a control plane and Portcullis ..."
"$target/debug/portcullis" certs --out "$tmp/certs" --name portcullis.portcullis.svc >/dev/null
start_control_plane >/dev/null
command -v go >/dev/null && install_gateway_api >/dev/null
kubectl apply -k manifests/crds >/dev/null
start_gate >/dev/null

# Each part of the demo is a function that announces each step before it runs.
ingresses() {
  say "Two teams, and a valid Ingress: admitted."
  show apply -f examples/cluster

  refused() { ! kubectl apply --dry-run=server -f demo/another-teams-path.yaml; }
  wait_for refused
  say "The same path, from the other team: denied."
  show apply -f demo/another-teams-path.yaml

  say "A path of a wildcard host that the built-in validation accepts in an update: denied."
  show apply -f demo/wildcard.yaml
  show patch ingress/orders --namespace team-b --type json \
    --patch '[{"op": "replace", "path": "/spec/rules/0/http/paths/0/path", "value": "bad//../x"}]'

  say "A Service that does not exist yet: admitted with a warning."
  show apply -f demo/missing-service.yaml

  say "A second default IngressClass: denied."
  show apply -f demo/second-default.yaml
}

gateways() {
  say "A default GatewayClass, and a Gateway without a class: the class is filled in before the schema requires it."
  show apply -f demo/gateway-class.yaml
  wait_for kubectl apply --dry-run=server -f demo/gateway.yaml
  show apply -f demo/gateway.yaml
  show get gateway/edge --namespace web --output jsonpath='{.spec.gatewayClassName}{"\n"}'

  say "A misspelled routability: denied."
  show apply -f demo/publicity.yaml

  listener_known() { kubectl apply --dry-run=server -f demo/missing-listener.yaml 2>&1 | grep section-not-found; }
  wait_for listener_known
  say "A listener that the Gateway does not have: admitted with a warning."
  show apply -f demo/missing-listener.yaml

  say "A header that is matched twice, in different case: denied."
  show apply -f demo/header-twice.yaml
}

delegations() {
  kubectl create namespace roots >/dev/null
  refused() { ! kubectl apply --dry-run=server -f demo/root-outside.yaml; }
  wait_for refused
  say "An IngressRoute that owns a host and delegates a part of it to another team."
  show apply -f demo/delegation.yaml

  say "A root in a namespace that may not hold roots: denied."
  show apply -f demo/root-outside.yaml

  escape_known() { ! kubectl apply --dry-run=server -f demo/escape.yaml; }
  wait_for escape_known
  say "A delegated IngressRoute that serves paths outside its prefix: denied."
  show apply -f demo/escape.yaml

  refused() { ! kubectl apply --dry-run=server -f demo/second-root.yaml; }
  wait_for refused
  say "A second root of the same host: denied."
  show apply -f demo/second-root.yaml

  say "Which object answers a request, and through which chain of delegations."
  printf '$ portcullis explain https://www.google.com/finance/partners/1 --objects examples/delegation\n'
  "$target/debug/portcullis" explain https://www.google.com/finance/partners/1 --objects examples/delegation
}

statuses() {
  say "A Gateway and an HTTPRoute of a class of Portcullis: the controller writes their status. Nothing serves them, and it does not claim so."
  show apply -f demo/statuses.yaml
  local conditions='{range .status.conditions[*]}{.type}={.status} {.reason}: {.message}{"\n"}{end}'
  status_is() { [[ $(kubectl get "$1" --namespace "$2" --output "jsonpath={.status.$3}") == *$4* ]]; }
  wait_for status_is httproute/entry web parents ResolvedRefs
  show get gateway/entry --namespace web --output "jsonpath=$conditions"
  show get httproute/entry --namespace web --output "jsonpath=${conditions/.status./.status.parents[0].}"

  wait_for status_is ingressroute/returns team-b currentStatus orphaned
  say "IngressRoutes: a root, what it delegates to, and one to which no root delegates."
  show get ingressroutes --all-namespaces

  say "Without the webhook, a second root of the same host is stored. Both are invalid then, and the delegation ends."
  show delete validatingwebhookconfiguration/portcullis
  stored() { kubectl apply -f demo/second-root.yaml; }
  wait_for stored
  wait_for status_is ingressroute/copy roots currentStatus invalid
  wait_for status_is ingressroute/orders team-b currentStatus orphaned
  show get ingressroutes --all-namespaces
}

ingresses
if command -v go >/dev/null; then gateways; fi
delegations
if command -v go >/dev/null; then statuses; fi
