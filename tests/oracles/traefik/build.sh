#!/usr/bin/env bash
# Builds Traefik into a folder: six minutes cold on two cores, half a minute warm.
#   tests/oracles/traefik/build.sh FOLDER
# The module of Traefik cannot be built as it is: it lacks the files of the dashboard and the module `dynamic/ext`, and module proxies have
# neither all DNS providers for ACME nor the fork for basic authentication. A copy is built without them. None of them takes part in routing.
set -euo pipefail
source "$(dirname "$0")/../../go-build.sh"
module=github.com/traefik/traefik/v3
go mod download $module
copy=$out/source
rm -rf "$copy" "$out/crds"
cp -r "$(go list -m -f '{{.Dir}}' $module)" "$copy"
chmod -R u+w "$copy"
cat go.sum >>"$copy/go.sum"
cd "$copy"
mkdir -p webui/static pkg/config/dynamic/ext
echo "not built" >webui/static/index.html
printf 'module github.com/traefik/traefik/dynamic/ext\n\ngo 1.26.0\n' >pkg/config/dynamic/ext/go.mod
printf 'package ext\n\ntype HTTP struct{}\n\ntype Router struct{}\n' >pkg/config/dynamic/ext/ext.go
sed -i -e '/lego\/v5\/providers\/dns"/d' -e 's/dns\.NewDNSChallengeProviderByName(.*)/nil, errors.New("not built")/' \
    pkg/provider/acme/provider.go
sed -i 's/goauth\.CheckSecret/nil/' pkg/middlewares/auth/basic_auth.go
sed -i 's/RequireAuthStale/RequireAuth/' pkg/middlewares/auth/digest_auth.go
go mod edit -replace github.com/abbot/go-http-auth=github.com/abbot/go-http-auth@v0.4.0
go build -o "$out/traefik" ./cmd/traefik
cp -r "$(go list -m -f '{{.Dir}}' sigs.k8s.io/gateway-api)/config/crd/standard" "$out/crds"
