//! Generated files and example reviews match the output of the program. Comparisons that do not run the program are in
//! `tests/pure`.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use portcullis_testing::repository::{files, read, root};
use serde_json::json;

use crate::harness::PortcullisServer;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("agreement::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("generated_files_are_fresh", generated_files_are_fresh),
        trial("examples_are_answered_as_their_names_say", examples_are_answered_as_their_names_say),
    ]
}

fn generated_files_are_fresh() {
    for (file, command) in [
        ("docs/checks.md", &["checks", "list", "--output", "markdown"][..]),
        ("docs/config.schema.json", &["config", "schema"]),
        ("manifests/webhooks/validating.yaml", &["manifests", "validating"]),
        ("manifests/webhooks/mutating.yaml", &["manifests", "mutating"]),
        ("manifests/rbac.yaml", &["manifests", "rbac"]),
        ("manifests/components/enforce/rbac.yaml", &["manifests", "enforce"]),
        ("manifests/components/maintainer/rbac.yaml", &["manifests", "maintainer"]),
        ("charts/portcullis/files/maintainer.yaml", &["manifests", "maintainer"]),
        ("manifests/components/gateway-status/rules.yaml", &["manifests", "gateway-status"]),
        ("manifests/components/ingress-status/rules.yaml", &["manifests", "ingress-status"]),
        ("charts/portcullis/files/gateway-status.yaml", &["manifests", "gateway-status"]),
        ("manifests/components/gateway-status-secrets/rbac.yaml", &["manifests", "gateway-status-secrets"]),
        ("charts/portcullis/files/gateway-status-secrets.yaml", &["manifests", "gateway-status-secrets"]),
        ("manifests/components/gateway-status-config-maps/rbac.yaml", &["manifests", "gateway-status-config-maps"]),
        ("charts/portcullis/files/gateway-status-config-maps.yaml", &["manifests", "gateway-status-config-maps"]),
        ("charts/portcullis/files/ingress-status.yaml", &["manifests", "ingress-status"]),
        ("charts/portcullis/files/validating.yaml", &["manifests", "validating"]),
        ("charts/portcullis/files/mutating.yaml", &["manifests", "mutating"]),
        ("charts/portcullis/files/rbac.yaml", &["manifests", "rbac"]),
        ("charts/portcullis/files/enforce.yaml", &["manifests", "enforce"]),
    ] {
        assert!(read(file) == output_of(command), "{file} is stale: run `just docs`");
    }
}

/// The findings of `just run` for each file in examples/reviews, as in the audit annotation. A `Deny` denies the
/// request.
const EXAMPLES: [(&str, &str); 5] = [
    ("good.json", ""),
    ("missing-service.json", "ingress/service-not-found=Warn"),
    ("path-conflict.json", "host/path-conflict=Deny"),
    (
        "path-not-absolute.json",
        "ingress/path-dot-segment=Deny,ingress/path-empty-segment=Deny,ingress/path-not-absolute=Deny",
    ),
    ("second-default.json", "ingress-class/second-default=Deny"),
];

fn examples_are_answered_as_their_names_say() {
    let named: Vec<String> = EXAMPLES.iter().map(|(name, _)| format!("examples/reviews/{name}")).collect();
    assert_eq!(files("examples/reviews"), named, "examples/reviews and EXAMPLES differ: list the example there");
    let (objects, config) = (root().join("examples/cluster"), root().join("examples/config.yaml"));
    let server = PortcullisServer::start([Path::new("--objects"), &objects, Path::new("--config"), &config]).ready();
    for (name, expected) in EXAMPLES {
        let (status, answer) = server.post("/validate", read(&format!("examples/reviews/{name}")));
        let response = &answer["response"];
        assert_eq!((status, &response["allowed"]), (200, &json!(!expected.contains("=Deny"))), "{name}: {answer:#}");
        let found = response["auditAnnotations"]["checks"].as_str().unwrap_or_default();
        assert_eq!(found, expected, "of {name}");
    }
}

fn output_of(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis")).args(arguments).output().expect("cargo built it");
    assert!(output.status.success(), "portcullis {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the program speaks UTF-8")
}
