# The tasks of the project. Each line of a recipe also works as the command that it prints.

set shell := ["bash", "-euo", "pipefail", "-c"]

# List the recipes.
default:
    @just --list --unsorted

# Format the code.
fmt:
    cargo fmt

# Check the format, the words, the lints, the documentation and the dependencies.
lint:
    cargo fmt --check
    .ci/typos
    cargo clippy --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps
    cargo deny check bans licenses sources

# After each change: the tests of the core and those in tests/pure, with the page of every check, but for those over random worlds. No server,
# no Go.
quick *FILTER:
    cargo test --lib --test pure -- --skip properties:: --skip adversarial:: --skip compare::promise --skip compare::independent --skip holds::lookups {{FILTER}}

# The same, then the trials of the commands over files.
quick-offline: quick
    cargo test --test it -- offline::

# Run every test, including those against a real API server.
test:
    cargo test

# Run the trials with servers on the kube-apiserver of another version, such as v1.31.14. Those that fail must be the ones that are listed.
test-on VERSION:
    tests/control-plane/trials.sh {{VERSION}}

# Run the conformance suite of the Gateway API; `just conformance offline` and `just conformance short` take other statuses, and fewer tests (docs/conformance.md).
conformance *ARGUMENTS:
    cargo build --bin portcullis
    tests/conformance/run.sh {{ARGUMENTS}}

# Compare what `explain` says with what Contour and Envoy answer to 20,000 generated requests, in four minutes; `just oracles short` sends 3,000, and `just oracles traefik` asks Traefik. SEED=7 generates others (docs/testing.md).
oracles *ARGUMENTS:
    cargo build --bin portcullis
    tests/oracles/run.sh {{ARGUMENTS}}

# Mutate 200 functions that decide, the same on each run, and list the mutants that no test notices. Takes hours: `just mutants 3/20` is a part.
mutants SHARD="0/1":
    tests/mutants.sh {{SHARD}}

# What takes too long for CI, within a night: the soak, a twentieth of the mutants, another one each week, the conformance suite and the oracles in full, the oldest supported Kubernetes, and the site of the documentation.
weekly: soak
    just conformance live
    just conformance offline
    SEED=$(date +%G%V) just oracles
    SEED=$(date +%G%V) just oracles traefik
    just mutants "$((10#$(date +%V) % 20))/20"
    just test-on v1.30.14
    just site

# Fuzz each target for so many seconds, without libFuzzer. `cargo fuzz run TARGET` uses it.
fuzz SECONDS="60":
    for target in fuzz/fuzz_targets/*.rs; do FUZZ_SECONDS={{SECONDS}} cargo run --quiet --package portcullis-fuzz --bin "$(basename "$target" .rs)"; done

# Write the current output of these tests into golden files and pages. Review the difference afterwards.
bless *FILTER:
    UPDATE_GOLDEN=1 cargo test --test it -- {{FILTER}}

# Write the current findings into the pages of a family or of one check. Review the difference afterwards.
bless-page PAGE:
    UPDATE_GOLDEN=1 PAGE={{PAGE}} cargo test --test pure -- --exact pages::each_page_is_true

# Compare the findings of this checkout and another revision in all test material (see `tests/compare-verdicts`).
verdicts *ARGUMENTS:
    tests/compare-verdicts {{ARGUMENTS}}

# Build the documentation as a site with a search, in target/site/html, and check its links.
site:
    .ci/site --install

# Draw the pictures of the documentation (Graphviz).
picture:
    for source in docs/images/*.dot; do dot -Tsvg "$source" -o "${source%.dot}.svg"; done

# Regenerate docs/checks.md, docs/messages.md, docs/metrics.md, docs/conditions.md, docs/configuration-reference.md, docs/config.schema.json, docs/report.schema.json, docs/explain.schema.json, webhook configurations and RBAC.
docs:
    cargo run --quiet -- checks list --output markdown >docs/checks.md
    cargo run --quiet -- config schema >docs/config.schema.json
    cargo run --quiet -- manifests validating >manifests/webhooks/validating.yaml
    cargo run --quiet -- manifests mutating >manifests/webhooks/mutating.yaml
    cargo run --quiet -- manifests rbac >manifests/rbac.yaml
    cargo run --quiet -- manifests enforce >manifests/components/enforce/rbac.yaml
    cargo run --quiet -- manifests maintainer >manifests/components/maintainer/rbac.yaml
    cargo run --quiet -- manifests gateway-status >manifests/components/gateway-status/rules.yaml
    cargo run --quiet -- manifests gateway-status-secrets >manifests/components/gateway-status-secrets/rbac.yaml
    cargo run --quiet -- manifests gateway-status-config-maps >manifests/components/gateway-status-config-maps/rbac.yaml
    cargo run --quiet -- manifests ingress-status >manifests/components/ingress-status/rules.yaml
    cp manifests/components/gateway-status/rules.yaml charts/portcullis/files/gateway-status.yaml
    cp manifests/components/gateway-status-secrets/rbac.yaml charts/portcullis/files/gateway-status-secrets.yaml
    cp manifests/components/gateway-status-config-maps/rbac.yaml charts/portcullis/files/gateway-status-config-maps.yaml
    cp manifests/components/ingress-status/rules.yaml charts/portcullis/files/ingress-status.yaml
    cp manifests/webhooks/validating.yaml manifests/webhooks/mutating.yaml manifests/rbac.yaml charts/portcullis/files
    cp manifests/components/enforce/rbac.yaml charts/portcullis/files/enforce.yaml
    cp manifests/components/maintainer/rbac.yaml charts/portcullis/files/maintainer.yaml
    cp manifests/components/alerts/prometheus-rule.yaml charts/portcullis/files/alerts.yaml
    cp manifests/crds/ingressroutes.yaml manifests/crds/tlscertificatedelegations.yaml charts/portcullis/files/crds
    cp manifests/components/host-claims/hostclaims.yaml manifests/components/host-claims/hostgrants.yaml charts/portcullis/files
    cp manifests/components/host-requests/hostrequests.yaml charts/portcullis/files
    cp manifests/components/host-claims/rbac.yaml charts/portcullis/files/host-claims-rbac.yaml
    cp manifests/components/host-requests/rbac.yaml charts/portcullis/files/host-requests-rbac.yaml
    cp manifests/components/host-claims/hostclaims.yaml crates/portcullis-core/src/kinds/schema
    cp manifests/crds/ingressroutes.yaml manifests/crds/tlscertificatedelegations.yaml crates/portcullis-core/src/kinds/schema
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact agreement::messages::each_message_is_listed
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact agreement::metrics::each_metric_is_listed
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact agreement::nginx::the_page_of_ingress_nginx_is_current
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact agreement::reference::each_key_is_described
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact agreement::chart_schema::the_chart_has_the_schema_of_the_configuration
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact status::table::each_condition_is_listed
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact built_in_fields::built_in_fields_are_those_of_the_api
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact agreement::the_schema_of_reports_is_current
    UPDATE_GOLDEN=1 cargo test --quiet --test pure -- --exact agreement::the_schema_of_answers_is_current

# Create development certificates in certs/, or keep valid ones.
certs:
    cargo run --quiet -- certs --out certs --name portcullis.portcullis.svc

# Serve on this machine without a cluster, over the manifests in examples/cluster.
run:
    cargo run -- serve --objects examples/cluster --config examples/config.yaml

# Send one AdmissionReview to `just run`, such as examples/reviews/path-conflict.json.
review FILE:
    curl --silent --show-error --cacert certs/ca.crt --json @{{FILE}} https://localhost:9443/validate && echo

# Show what the webhooks, `lint` and `explain` answer; `just demo --control-plane` uses a real API server and kubectl.
demo *ARGUMENTS:
    cargo run -- demo {{ARGUMENTS}}

# Build the image of both architectures into dist/, without a registry or daemon; `just image amd64` builds one.
image *ARCHITECTURES:
    image/build.sh {{ARCHITECTURES}}

# Build the image of this commit in two clones, and compare every file; `just reproducible --profile release arm64` builds another one.
reproducible *ARGUMENTS:
    image/reproducible.sh {{ARGUMENTS}}

# Make the files of a release in dist/release, without pushing anything; `just release files krew checksums` does these steps alone (docs/releasing.md).
release *STEPS:
    release/build.sh {{STEPS}}

# Run the image in real pods on a kind cluster of two nodes (a Docker engine, or root and Debian packages).
e2e *FILTER:
    tests/end-to-end.sh kind {{FILTER}}

# The same on one node without Docker (root, Debian packages).
e2e-node *FILTER:
    tests/end-to-end.sh node {{FILTER}}

# The same for an hour: rollouts, rotations and outages by the dozen, how often two replicas admit a conflict, and what Argo CD sees. Then the server without pods: `soak-server` and `load`.
soak: && soak-server load
    tests/end-to-end.sh node soak:: long::

# The writer of statuses for longer: ten minutes at rest, 5,000 writes of another controller, 5,000 outdated objects. A quarter of an hour.
soak-status:
    PORTCULLIS_SLOW=1 cargo test --test it -- controller::slow:: --test-threads 1

# The server for longer: 20 rotations of certificates in files under 1,000 reviews a second, 20,000 connections at once. Five minutes.
soak-server:
    cargo build --release --bin portcullis
    PORTCULLIS_SLOW=1 PORTCULLIS_BIN=target/release/portcullis cargo test --test it -- flood:: --test-threads 1 --nocapture
    PORTCULLIS_SLOW=1 PORTCULLIS_BIN=target/release/portcullis cargo test --test it -- rotation::slow:: --nocapture

# Install into the cluster of the current context, and wait until the replicas are ready.
install:
    kubectl apply -k manifests
    kubectl rollout status deployment/portcullis --namespace portcullis --timeout 2m

# Uninstall everything; the webhook configurations are removed first.
uninstall:
    kubectl delete --ignore-not-found -k manifests

# Measure the cost of a review, of `explain`, of a change of an IngressRoute, of statuses and of commands over files; docs/measurements.md lists the pages with the method and the figures.
bench:
    cargo bench --bench reviews
    cargo bench --bench explain
    cargo bench --bench compare
    cargo bench --bench delegation
    cargo bench --bench status
    cargo bench --bench adversarial
    cargo bench --bench memory
    cargo bench --bench offline
    .ci/instructions

# Measure response times under load: fixed rates, saturation, new connections, large reviews beside small ones. Eight minutes.
load SECONDS="20":
    cargo bench --bench reviews -- --under-load {{SECONDS}}

# Run what CI runs.
ci:
    .ci/run
