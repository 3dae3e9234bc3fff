# Everything that one can do here. Each line of a recipe also works as the command that it prints.

set shell := ["bash", "-euo", "pipefail", "-c"]

image := "portcullis:0.1.0"
ca := "$(base64 <certs/ca.crt | tr -d '\\n')"

# List the recipes.
default:
    @just --list --unsorted

# Format the code.
fmt:
    cargo fmt

# Check the format, the lints and what may be linked in.
lint:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings
    cargo deny check bans licenses sources

# Run every test, those against a real API server included.
test:
    cargo test

# Fuzz each target for so many seconds, without libFuzzer. `cargo fuzz run TARGET` uses it.
fuzz SECONDS="60":
    for target in fuzz/fuzz_targets/*.rs; do FUZZ_SECONDS={{SECONDS}} cargo run --quiet --package portcullis-fuzz --bin "$(basename "$target" .rs)"; done

# Take what the trials of this filter find now for what they should find: golden files and the findings in pages. Read the difference then.
bless *FILTER:
    UPDATE_GOLDEN=1 cargo test --test it -- {{FILTER}}

# Compare what this checkout and another revision find in all test material (`tests/compare-verdicts` says how).
verdicts *ARGUMENTS:
    tests/compare-verdicts {{ARGUMENTS}}

# Regenerate docs/checks.md, docs/messages.md, docs/config.schema.json, webhook configurations and RBAC.
docs:
    cargo run --quiet -- checks list --format markdown >docs/checks.md
    cargo run --quiet -- config schema >docs/config.schema.json
    cargo run --quiet -- manifests validating >manifests/webhooks/validating.yaml
    cargo run --quiet -- manifests mutating >manifests/webhooks/mutating.yaml
    cargo run --quiet -- manifests rbac >manifests/rbac.yaml
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact agreement::messages::each_message_is_listed

# Make development certificates in certs/, or keep those that are good.
certs:
    cargo run --quiet -- certs --out certs --name portcullis.portcullis.svc

# Serve here, without a cluster: the manifests in examples/cluster are all there is.
run:
    cargo run -- serve --objects examples/cluster --config examples/config.yaml

# Send one AdmissionReview to `just run`, such as examples/reviews/path-conflict.json.
review FILE:
    curl --silent --show-error --cacert certs/ca.crt --json @{{FILE}} https://localhost:9443/validate && echo

# See kubectl being refused by a control plane of its own, which is gone afterwards.
demo:
    demo/run.sh

# Build the container image.
image:
    docker build --tag {{image}} .

# Install into the cluster of the current context; what calls the gate comes last, once it is ready.
install: certs
    kubectl apply --server-side -f manifests/namespace.yaml
    kubectl create secret tls portcullis-tls --namespace portcullis --cert certs/tls.crt --key certs/tls.key --dry-run=client --output yaml | kubectl apply --server-side -f -
    kubectl apply --server-side -k manifests
    kubectl rollout status deployment/portcullis --namespace portcullis --timeout 2m
    kubectl kustomize manifests/webhooks | awk -v ca="{{ca}}" -f manifests/webhooks/ca-bundle.awk | kubectl apply --server-side -f -

# Take everything away again; what calls the gate goes first.
uninstall:
    kubectl delete --ignore-not-found -k manifests/webhooks
    kubectl delete --ignore-not-found -k manifests

# Measure what a review, an answer of `explain` and a change of an IngressRoute cost; the method is in docs/benchmarks.md.
bench:
    cargo bench --bench reviews
    cargo bench --bench explain
    cargo bench --bench delegation
    cargo bench --bench adversarial
    cargo bench --bench memory
    .ci/instructions

# Run what CI runs.
ci:
    .ci/run
